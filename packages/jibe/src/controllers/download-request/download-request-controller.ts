import { type Clock, hasCode, type Scope } from "@jibe/base";
import type { Cluster, ObjectStore } from "@jibe/engine";
import { annotations } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStorageLocation, DownloadRequest, Restore } from "../../api/resources.ts";
import { timeMs, timestamp } from "../../api/time.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import type { StorageLocations } from "../storage-locations.ts";
import { downloadTargets } from "./download-key.ts";
import { answerInline } from "./inline-answer.ts";

const ttlMs = 10 * 60_000;

export interface DownloadRequestDeps {
  readonly requests: Resources<DownloadRequest>;
  readonly backups: Resources<Backup>;
  readonly restores: Resources<Restore>;
  readonly locations: Resources<BackupStorageLocation>;
  readonly stores: StorageLocations;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Writes operations that are only in memory yet, so that the file asked for is as new as can be. */
  readonly flushOperations?: (backupName: string, scope: Scope) => Promise<void>;
  /** The content of a file that a run is still writing, such as its log. */
  readonly liveContent?: (kind: string, name: string, scope: Scope) => AsyncIterable<Uint8Array> | undefined;
}

/** Answers requests for a file of a backup or restore with a URL, or inline through Secrets where asked. */
export function downloadRequestController(deps: DownloadRequestDeps): Controller {
  const { requests, clock } = deps;
  return {
    name: "download-request",
    type: veleroTypes.downloadRequest,
    workers: 4,
    resyncMs: 60_000,
    reconcile: async (name, scope) => {
      const request = await requests.find(name, scope);
      if (!request) return done;
      const now = clock.now().getTime();
      const created = timeMs(request.metadata.creationTimestamp) ?? now;
      const expires = timeMs(request.status?.expiration) ?? created + ttlMs;
      if (expires <= now) {
        await requests.delete(name, scope);
        return done;
      }
      if (request.status?.phase === "Processed") return { requeueAfterMs: expires - now };
      const status = await answer(request, deps, scope);
      if (!status) return { requeueAfterMs: expires - now };
      await requests.patch(
        name,
        { status: { phase: "Processed", expiration: timestamp(new Date(now + ttlMs)), ...status } },
        scope,
      );
      return { requeueAfterMs: ttlMs };
    },
  };
}

async function answer(request: DownloadRequest, deps: DownloadRequestDeps, scope: Scope) {
  const { kind, name } = request.spec.target;
  const target = downloadTargets[kind];
  const backupName = target.of === "backup" ? name : (await deps.restores.find(name, scope))?.spec.backupName;
  const backup = backupName === undefined ? undefined : await deps.backups.find(backupName, scope);
  const location = backup && (await deps.locations.find(backup.spec.storageLocation ?? "default", scope));
  if (!backup || !location) {
    scope.log.warn("cannot answer download request: its backup, restore or location is gone", { kind, name });
    return undefined;
  }
  if (kind === "BackupItemOperations" || kind === "RestoreItemOperations") await deps.flushOperations?.(name, scope);
  await using store = await deps.stores.open(location, scope);
  const key = target.key(name);
  if (request.metadata.annotations?.[annotations.inline] === undefined) {
    return { downloadURL: await store.signedUrl(key, ttlMs, scope) };
  }
  const live = deps.liveContent?.(kind, name, scope);
  const parts = await answerInline(request, live ?? contentOrNothing(store, key, scope), deps.cluster, scope);
  return { downloadURL: `inline:${parts}` };
}

/** The file's content; a file that does not exist reads as empty, which no file of ours is. */
async function* contentOrNothing(store: ObjectStore, key: string, scope: Scope): AsyncGenerator<Uint8Array> {
  try {
    yield* store.get(key, scope);
  } catch (error) {
    if (!hasCode(error, "NotFound")) throw error;
  }
}
