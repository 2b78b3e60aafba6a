import { join } from "node:path";
import type { Scope } from "@jibe/base";
import type { Kubernetes } from "@jibe/testkit/peers";
import type { RunServer } from "./servers.ts";
import { prepareWorld } from "./servers.ts";
import type { BackupSpec } from "./spec-file.ts";
import { runToEnd, useStorage } from "./storage.ts";
import { type Files, readStoredBackup } from "./stored-files.ts";

/** What one server made of one spec. */
export interface BackupOutcome {
  /** The Backup as it ended. */
  readonly backup: Readonly<Record<string, unknown>>;
  readonly files: Files;
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
): Promise<ReadonlyMap<string, BackupOutcome>> {
  const root = join(kubernetes.dir, run, "store");
  await using running = await server(await prepareWorld(kubernetes, run, scope), scope);
  await useStorage(kubernetes, root, scope);
  const outcomes = new Map<string, BackupOutcome>();
  for (const { name, backup: spec } of specs) {
    const backup = await runToEnd(kubernetes, { kind: "Backup", name, spec }, scope);
    outcomes.set(name, { backup, files: await readStoredBackup(join(root, "bucket"), name) });
  }
  scope.log.info("backups made", { server: running.name, count: outcomes.size });
  await kubernetes.kubectl(["delete", "backups.velero.io", "--all", "-n", "velero"]);
  return outcomes;
}
