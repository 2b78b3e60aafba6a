import type { Scope } from "@jibe/base";
import type { OperationStatus, StoredResourceIdentifier } from "@jibe/engine";
import { timeMs } from "../../api/time.ts";
import { downloadJson } from "../download/read-file.ts";
import type { OperationProgress } from "./run-progress.ts";
import type { RunName, WaitContext } from "./wait-for-end.ts";

const fileTimeoutMs = 10_000;

interface StoredOperation {
  readonly spec: { readonly resourceIdentifier: StoredResourceIdentifier };
  readonly status: OperationStatus;
}

const ended: ReadonlySet<string> = new Set(["Completed", "Failed", "Canceled"]);

/** The operations of a waiting run that are under way, as the server last saw them. */
export async function readOperations(
  { kind, name }: RunName,
  { access, world }: WaitContext,
  scope: Scope,
): Promise<OperationProgress[]> {
  const target = { kind: kind === "backup" ? "BackupItemOperations" : "RestoreItemOperations", name } as const;
  const options = { access, clock: world.clock, timeoutMs: fileTimeoutMs };
  const stored = (await downloadJson<readonly StoredOperation[]>(target, options, scope)) ?? [];
  return stored.filter(({ status }) => !ended.has(status.phase)).map(progressOf);
}

function progressOf({ spec, status }: StoredOperation): OperationProgress {
  const { Resource, Namespace, Name } = spec.resourceIdentifier;
  return {
    item: `${Resource} ${Namespace ? `${Namespace}/` : ""}${Name}`,
    phase: status.phase,
    done: status.nCompleted ?? 0,
    total: status.nTotal ?? 0,
    units: status.operationUnits ?? "",
    description: status.description ?? "",
    startedMs: timeMs(status.started),
    updatedMs: timeMs(status.updated),
  };
}
