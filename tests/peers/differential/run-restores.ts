import { cp } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import type { Kubernetes } from "@jibe/testkit/peers";
import { applyAll } from "./apply-all.ts";
import { contentsOf, readClusterContents } from "./cluster-contents.ts";
import { quietControllers, startCluster, untilSettled } from "./rich-cluster.ts";
import { prepareWorld, type RunServer, withFeatures } from "./servers.ts";
import type { DataObject, RestoreSpec } from "./spec-file.ts";
import { runToEnd, useStorage } from "./storage.ts";
import { type Files, readStoredRestore } from "./stored-files.ts";

/** What one server made of one spec: the Restore as it ended, its files, and the objects that it left in the cluster. */
export interface RestoreOutcome {
  readonly restore: Readonly<Record<string, unknown>>;
  readonly files: Files;
  readonly contents: Files;
}

export type RestoreOutcomes = ReadonlyMap<string, RestoreOutcome | AppError>;

export function restoreIn(outcomes: RestoreOutcomes, name: string): RestoreOutcome {
  const outcome = outcomes.get(name);
  if (outcome === undefined || outcome instanceof AppError) throw outcome ?? new Error(`no restore ${name} was made`);
  return outcome;
}

/** Lets a server restore every spec's backup from a copy of `source`, one after the other, into a cluster of its own. */
export async function runRestores(
  { specs, server, source }: { specs: readonly RestoreSpec[]; server: RunServer; source: BackupSource },
  scope: Scope,
): Promise<RestoreOutcomes> {
  await using kubernetes = await startCluster(
    { objects: specs.flatMap(({ target }) => target), disabledControllers: quietControllers },
    scope,
  );
  const root = join(kubernetes.dir, "store");
  const world = await prepareWorld(kubernetes, "restores", scope);
  const ended = new Map<string, Readonly<Record<string, unknown>> | AppError>();
  await withFeatures({ specs, server, world }, scope, async (group) => {
    if (ended.size === 0) await useStoredBackups(kubernetes, source, root, scope);
    for (const { name, restore } of group) {
      const spec = { backupName: name, ...restore };
      ended.set(name, await runToEnd(kubernetes, { kind: "Restore", name, spec }, scope).catch(asOutcome));
    }
  });
  await untilSettled(kubernetes, scope);
  const all = await readClusterContents(kubernetes, scope);
  const outcomes = new Map<string, RestoreOutcome | AppError>();
  for (const [name, restore] of ended) {
    const files = await readStoredRestore(join(root, "bucket"), name);
    outcomes.set(name, restore instanceof AppError ? restore : { restore, files, contents: contentsOf(all, name) });
  }
  return outcomes;
}

// The other restores are worth comparing all the same.
function asOutcome(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** Backups as real Velero made them: a folder of stores, and the Backup resources. */
export interface BackupSource {
  readonly dir: string;
  readonly backups: readonly Readonly<Record<string, unknown>>[];
}

/** Does what a server would do when it finds the backups in the store, without the wait. */
async function useStoredBackups(
  kubernetes: Kubernetes,
  { dir, backups }: BackupSource,
  root: string,
  scope: Scope,
): Promise<void> {
  await useStorage(kubernetes, root, scope);
  await cp(dir, root, { recursive: true });
  const items = backups.map((backup) => {
    const { name, labels, annotations } = backup["metadata"] as Record<string, unknown>;
    return { ...backup, metadata: { name, namespace: "velero", labels, annotations } } as unknown as DataObject;
  });
  await applyAll(kubernetes, items);
}

/** Has real Velero back up each spec's objects in a cluster that is gone afterwards; `dir` keeps the stores. */
export async function makeBackups(
  { specs, server, dir }: { specs: readonly RestoreSpec[]; server: RunServer; dir: string },
  scope: Scope,
): Promise<BackupSource> {
  await using kubernetes = await startCluster(
    { objects: specs.flatMap(({ objects }) => objects), disabledControllers: quietControllers },
    scope,
  );
  const root = join(kubernetes.dir, "store");
  const world = await prepareWorld(kubernetes, "backups", scope);
  const backups: Readonly<Record<string, unknown>>[] = [];
  await withFeatures({ specs, server, world }, scope, async (group) => {
    if (backups.length === 0) await useStorage(kubernetes, root, scope);
    for (const { name, objects, backup } of group) {
      const includedNamespaces = objects.filter(({ kind }) => kind === "Namespace").map((each) => each.metadata.name);
      if (objects.length === 0) continue;
      backups.push(await runToEnd(kubernetes, { kind: "Backup", name, spec: backup ?? { includedNamespaces } }, scope));
    }
  });
  await cp(root, dir, { recursive: true });
  return { dir, backups };
}
