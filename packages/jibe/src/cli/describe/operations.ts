import type { OperationStatus, StoredResourceIdentifier } from "@jibe/engine";
import { goTime } from "../print/time.ts";
import { formatRate } from "../wait/amounts.ts";
import type { Description } from "./description.ts";

interface Operation {
  readonly spec: {
    readonly operationID: string;
    readonly resourceIdentifier: StoredResourceIdentifier;
    readonly backupItemAction?: string;
    readonly restoreItemAction?: string;
    readonly postOperationItems?: readonly StoredResourceIdentifier[] | null;
  };
  readonly status: OperationStatus;
}

interface Counts {
  readonly attempted: number;
  readonly completed: number;
  readonly failed: number;
}

/** The asynchronous operations of a run: their number, or each with what is known of it. */
export function describeOperations(
  into: Description,
  title: "Backup" | "Restore",
  { counts, operations }: { readonly counts: Counts; readonly operations?: readonly Operation[] | undefined },
): void {
  if (counts.attempted === 0) return;
  const heading = `${title} Item Operations`;
  if (!operations) {
    into
      .field(
        heading,
        `${counts.completed} of ${counts.attempted} completed successfully, ${counts.failed} failed (specify --details for more)`,
      )
      .line();
    return;
  }
  into.line(`${heading}:`);
  for (const { spec, status } of operations) describeOperation(into, title, spec, status);
  into.line();
}

function describeOperation(into: Description, title: string, spec: Operation["spec"], status: OperationStatus): void {
  into.line(`\tOperation for ${itemText(spec.resourceIdentifier)}:`);
  into.line(`\t\t${title} Item Action Plugin:\t${spec.backupItemAction ?? spec.restoreItemAction ?? ""}`);
  into.line(`\t\tOperation ID:\t${spec.operationID}`);
  const updates = spec.postOperationItems ?? [];
  if (updates.length > 0) {
    into.line("\t\tItems to Update:");
    for (const item of updates) into.line(`\t\t\t${itemText(item)}`);
  }
  into.line(`\t\tPhase:\t${status.phase}`);
  if (status.error) into.line(`\t\tOperation Error:\t${status.error}`);
  if (status.nTotal || status.nCompleted) into.line(`\t\tProgress:\t${progressText(status)}`);
  if (status.description) into.line(`\t\tProgress description:\t${status.description}`);
  for (const [label, time] of [
    ["Created", status.created],
    ["Started", status.started],
    ["Updated", status.updated],
  ] as const) {
    if (time) into.line(`\t\t${label}:\t${goTime(time)}`);
  }
}

/** Units, percent and speed, as far as they can be told. */
export function progressText({
  nCompleted = 0,
  nTotal = 0,
  operationUnits = "",
  started,
  updated,
}: OperationStatus): string {
  const percent = nTotal > 0 ? `, ${Math.floor((nCompleted / nTotal) * 100)}%` : "";
  const seconds = started && updated ? (Date.parse(updated) - Date.parse(started)) / 1000 : 0;
  const speed = seconds > 0 && nCompleted > 0 ? `, ${formatRate(nCompleted / seconds, operationUnits)}` : "";
  return `${nCompleted} of ${nTotal} complete (${operationUnits}${percent}${speed})`;
}

function itemText({ Group, Resource, Namespace, Name }: StoredResourceIdentifier): string {
  return `${Resource}${Group ? `.${Group}` : ""} ${Namespace ? `${Namespace}/` : ""}${Name}`;
}
