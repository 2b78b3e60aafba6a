import type { RunResults } from "@jibe/engine";
import type { Restore } from "../../api/resources.ts";
import type { Output } from "../output.ts";
import { selectorText } from "../print/selector.ts";
import { goTime } from "../print/time.ts";
import { describeCauses, describeResourceList } from "./backup.ts";
import { Description, listText, triState } from "./description.ts";
import { describeOperations } from "./operations.ts";
import { describeResults } from "./results.ts";

type Operations = NonNullable<Parameters<typeof describeOperations>[2]["operations"]>;

export interface RestoreStory {
  readonly restore: Restore;
  readonly files: {
    readonly results?: RunResults | undefined;
    readonly resourceList?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly operations?: Operations | undefined;
  };
  readonly details: boolean;
}

/** What a restore was asked to do, what happened, and why it went wrong where it did. */
export function describeRestore({ restore, files, details }: RestoreStory, out: Output): string {
  const { metadata, status = {} } = restore;
  const into = new Description();
  into.field("Name", metadata.name).field("Namespace", metadata.namespace ?? "");
  into.pairs("Labels", metadata.labels).pairs("Annotations", metadata.annotations).line();
  describePhase(into, restore, out);
  into
    .field("Started", goTime(status.startTimestamp, "<n/a>"))
    .field("Completed", goTime(status.completionTimestamp, "<n/a>"))
    .line();
  if (status.validationErrors?.length) into.block("Validation errors", status.validationErrors).line();
  describeCauses(into, files.results);
  describeResults(into, status, files.results);
  describeRestoreSpec(into, restore);
  describeOperations(into, "Restore", {
    counts: {
      attempted: status.restoreItemOperationsAttempted ?? 0,
      completed: status.restoreItemOperationsCompleted ?? 0,
      failed: status.restoreItemOperationsFailed ?? 0,
    },
    operations: details ? files.operations : undefined,
  });
  if (status.hookStatus)
    into
      .field("HooksAttempted", status.hookStatus.hooksAttempted ?? 0)
      .field("HooksFailed", status.hookStatus.hooksFailed ?? 0)
      .line();
  if (details) describeResourceList(into, files.resourceList);
  return into.toString();
}

function describePhase(into: Description, { metadata, status }: Restore, out: Output): void {
  const phase = status?.phase ?? "New";
  const isBad = phase === "PartiallyFailed" || phase === "Failed";
  const style = phase === "Completed" ? "green" : isBad || phase === "FailedValidation" ? "red" : undefined;
  const hint = isBad ? ` (run 'jibe restore logs ${metadata.name}' for more information)` : "";
  into.field("Phase", `${style ? out.style(style, phase) : phase}${hint}`);
  if (status?.failureReason) into.field("Failure reason", status.failureReason);
  const { totalItems = 0, itemsRestored = 0 } = status?.progress ?? {};
  if (phase === "InProgress")
    into.field("Estimated total items to be restored", totalItems).field("Items restored so far", itemsRestored);
  else if (status?.progress)
    into.field("Total items to be restored", totalItems).field("Items restored", itemsRestored);
  into.line();
}

function describeRestoreSpec(into: Description, { spec }: Restore): void {
  const included = spec.includedNamespaces ?? [];
  const isAll = included.length === 0 || (included.length === 1 && included[0] === "*");
  into.field("Backup", spec.backupName ?? "").line();
  into.block("Namespaces", [
    `Included:\t${isAll ? "all namespaces found in the backup" : listText(included)}`,
    `Excluded:\t${listText(spec.excludedNamespaces)}`,
  ]);
  into.line();
  const cluster = spec.includeClusterResources;
  into.block("Resources", [
    `Included:\t${listText(spec.includedResources, "*")}`,
    `Excluded:\t${listText(spec.excludedResources)}`,
    `Cluster-scoped:\t${cluster === undefined || cluster === null ? "auto" : cluster ? "included" : "excluded"}`,
  ]);
  into.line();
  into.pairs("Namespace mappings", spec.namespaceMapping).line();
  into.field("Label selector", selectorText(spec.labelSelector)).line();
  into
    .field(
      "Or label selector",
      (spec.orLabelSelectors ?? []).map((selector) => selectorText(selector)).join(" or ") || "<none>",
    )
    .line();
  into.field("Restore PVs", triState(spec.restorePVs)).line();
  into
    .field("Existing Resource Policy", spec.existingResourcePolicy || "<none>")
    .field("ItemOperationTimeout", spec.itemOperationTimeout ?? "0s")
    .line();
  into.field("Preserve Service NodePorts", triState(spec.preserveNodePorts)).line();
  if (spec.resourceModifier)
    into
      .block("Resource modifier", [`Type:\t${spec.resourceModifier.kind}`, `Name:\t${spec.resourceModifier.name}`])
      .line();
}
