import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import type { Kubernetes } from "@jibe/testkit/peers";
import { prepareWorld, type RunServer, withFeatures } from "./servers.ts";
import type { BackupSpec } from "./spec-file.ts";
import { runToEnd, useStorage } from "./storage.ts";
import { type Files, readStoredBackup } from "./stored-files.ts";

/** What one server made of one spec. */
export interface BackupOutcome {
  /** The Backup as it ended. */
  readonly backup: Readonly<Record<string, unknown>>;
  readonly files: Files;
}

/** The outcomes by the specs' names; an error where there is none. */
export type BackupOutcomes = ReadonlyMap<string, BackupOutcome | AppError>;

export function outcomeIn(outcomes: BackupOutcomes, name: string): BackupOutcome {
  const outcome = outcomes.get(name);
  if (outcome === undefined || outcome instanceof AppError) throw outcome ?? new Error(`no backup ${name} was made`);
  return outcome;
}

/**
 * Lets a server make every backup, one after the other, of a cluster that is left as it was found: the Backup resources
 * are removed at the end. `run` names the folder of its files.
 */
export async function runBackups(
  {
    kubernetes,
    specs,
    server,
    run,
  }: { kubernetes: Kubernetes; specs: readonly BackupSpec[]; server: RunServer; run: string },
  scope: Scope,
): Promise<BackupOutcomes> {
  const root = join(kubernetes.dir, run, "store");
  const world = await prepareWorld(kubernetes, run, scope);
  const outcomes = new Map<string, BackupOutcome | AppError>();
  await withFeatures({ specs, server, world }, scope, async (group, running) => {
    if (outcomes.size === 0) await useStorage(kubernetes, root, scope);
    for (const { name, backup: spec } of group) {
      try {
        const backup = await runToEnd(kubernetes, { kind: "Backup", name, spec }, scope);
        outcomes.set(name, { backup, files: await readStoredBackup(join(root, "bucket"), name) });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        outcomes.set(name, error); // the others are worth comparing all the same
      }
    }
    scope.log.info("backups made", { server: running.name, count: outcomes.size });
  });
  await kubernetes.kubectl(["delete", "backups.velero.io", "--all", "-n", "velero"]);
  return outcomes;
}
