import type { Clock, Scope } from "@jibe/base";
import { formatLogLine, kubernetesTime, type ObjectStore } from "@jibe/engine";
import { canceledByUser } from "../../api/names.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import { appendGzipped } from "../append-gzipped.ts";

/** Adds to the log of a run, which the run itself has completed, that it was canceled since. */
export async function logCancel(
  { metadata }: Backup | Restore,
  file: {
    readonly kind: "backup" | "restore";
    readonly log: string;
    readonly store: ObjectStore;
    readonly clock: Clock;
  },
  scope: Scope,
): Promise<void> {
  const { kind, log, store, clock } = file;
  const fields = { [kind]: `${metadata.namespace ?? ""}/${metadata.name}`, reason: canceledByUser };
  const line = formatLogLine({ level: "info", message: `${kind} failed`, fields }, kubernetesTime(clock.now()), "text");
  await appendGzipped(store, log, line.endsWith("\n") ? line : `${line}\n`, scope);
}
