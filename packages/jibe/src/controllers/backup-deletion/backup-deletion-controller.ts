import { type Clock, messageOf, type Scope } from "@jibe/base";
import { isWaiting, labelValueFrom } from "@jibe/engine";
import { deletionLabels } from "../../api/delete-request.ts";
import { annotations, labels } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStorageLocation, DeleteBackupRequest, Restore } from "../../api/resources.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import { decideDeletion } from "./decide-deletion.ts";

const restoresGoneMs = 60_000;

export interface BackupDeletionDeps {
  readonly requests: Resources<DeleteBackupRequest>;
  readonly backups: Resources<Backup>;
  readonly restores: Resources<Restore>;
  readonly locations: Resources<BackupStorageLocation>;
  readonly clock: Clock;
  readonly isRunning: (backupName: string) => boolean;
  /** Cancels the operations that a waiting backup still has. */
  readonly cancelOperations: (backup: Backup, scope: Scope) => Promise<void>;
  /** Removes what lies outside the cluster's resources; gives the errors met. */
  readonly deleteContents: (
    backup: Backup,
    location: BackupStorageLocation,
    scope: Scope,
  ) => Promise<readonly string[]>;
  readonly onResult?: (backup: Backup, isDeleted: boolean) => void;
}

/** Deletes backups that someone asked to delete: their data first, then their restores, then the resource. */
export function backupDeletionController(deps: BackupDeletionDeps): Controller {
  const { requests, backups, locations, clock } = deps;
  return {
    name: "backup-deletion",
    type: veleroTypes.deleteBackupRequest,
    workers: 2,
    resyncMs: 3_600_000,
    reconcile: async (name, scope) => {
      const request = await requests.find(name, scope);
      if (!request) return done;
      const backup = await backups.find(request.spec.backupName, scope);
      const location = backup && (await locations.find(backup.spec.storageLocation ?? "default", scope));
      const isRunning = deps.isRunning(request.spec.backupName);
      const decision = decideDeletion(request, { backup, location, now: clock.now(), isRunning });
      switch (decision.kind) {
        case "ignore":
          return decision.againInMs === undefined ? done : { requeueAfterMs: decision.againInMs };
        case "forget":
          await requests.delete(name, scope);
          return done;
        case "refuse":
          await requests.patch(name, { status: { phase: "Processed", errors: [decision.reason] } }, scope);
          return done;
        case "delete":
          if (backup && location) await deleteBackup(request, backup, location, deps, scope);
          return done;
      }
    },
  };
}

async function deleteBackup(
  request: DeleteBackupRequest,
  backup: Backup,
  location: BackupStorageLocation,
  deps: BackupDeletionDeps,
  scope: Scope,
): Promise<void> {
  const { requests, backups } = deps;
  const { name } = backup.metadata;
  const metadata = { labels: deletionLabels(backup) }; // a request written by hand has none
  await requests.patch(request.metadata.name, { metadata, status: { phase: "InProgress", errors: null } }, scope);
  await forgetRequests(name, request.metadata.name, requests, scope);
  // Guarded: a backup that went on to finalizing since it was read is not deleted under its finalizer's hands. And taken from whoever
  // holds it: what is on its way from a poll must not bring back the phase.
  const patch = { metadata: { annotations: { [annotations.runHolder]: null } }, status: { phase: "Deleting" } };
  const deleting = await backups.patchUnchanged(backup, patch, scope);
  const mayHaveOperations = isWaiting(backup.status?.phase) || backup.status?.phase === "Deleting";
  if (mayHaveOperations) await deps.cancelOperations(deleting, scope);
  const errors = [...(await contentErrors(backup, location, deps, scope))];
  errors.push(...(await deleteRestores(name, deps, scope)));
  if (errors.length === 0) {
    await backups.delete(name, scope);
    await forgetRequests(name, undefined, requests, scope);
    scope.log.info("backup deleted", { backup: name });
  } else {
    await requests.patch(request.metadata.name, { status: { phase: "Processed", errors } }, scope);
    scope.log.error("backup could not be deleted", { backup: name, errors });
  }
  deps.onResult?.(backup, errors.length === 0);
}

async function contentErrors(
  backup: Backup,
  location: BackupStorageLocation,
  { deleteContents }: BackupDeletionDeps,
  scope: Scope,
): Promise<readonly string[]> {
  try {
    return await deleteContents(backup, location, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    return [messageOf(error)];
  }
}

/** Removes the requests about a backup, except the one being answered. */
async function forgetRequests(
  backupName: string,
  except: string | undefined,
  requests: Resources<DeleteBackupRequest>,
  scope: Scope,
): Promise<void> {
  const labelSelector = `${labels.backupName}=${labelValueFrom(backupName)}`;
  for (const { metadata } of await requests.list({ labelSelector }, scope)) {
    if (metadata.name !== except) await requests.delete(metadata.name, scope);
  }
}

/** Deletes the restores made from a backup and waits until their files are gone too, which their own controller sees to. */
async function deleteRestores(
  backupName: string,
  { restores, clock }: BackupDeletionDeps,
  scope: Scope,
): Promise<string[]> {
  const own = (await restores.list({}, scope)).filter(({ spec }) => spec.backupName === backupName);
  for (const { metadata } of own) await restores.delete(metadata.name, scope);
  const deadline = clock.monotonicMs() + restoresGoneMs;
  const left = new Set(own.map(({ metadata }) => metadata.name));
  while (left.size > 0 && clock.monotonicMs() < deadline) {
    for (const name of left) if (!(await restores.find(name, scope))) left.delete(name);
    if (left.size > 0) await clock.sleep(100, scope);
  }
  return [...left].map((name) => `restore ${JSON.stringify(name)} is still being deleted`);
}
