import type { RunResults } from "@jibe/engine";
import type { Restore } from "../../api/resources.ts";
import type { Output } from "../output.ts";
import { selectorText } from "../print/selector.ts";
import { goTime } from "../print/time.ts";
import { describeCauses, describeResourceList, describeValidation } from "./backup.ts";
import { Description, describeReference, listText, triState } from "./description.ts";
import { describeOperations } from "./operations.ts";
import { describeResults } from "./results.ts";

type Operations = NonNullable<Parameters<typeof describeOperations>[2]["operations"]>;

/** A volume as the volume info file of a restore tells it. */
export interface RestoredVolumeInfo {
  readonly pvcName?: string;
  readonly pvcNamespace?: string;
  readonly restoreMethod?: string;
}

export interface RestoreStory {
  readonly restore: Restore;
  readonly files: {
    readonly results?: RunResults | undefined;
    readonly resourceList?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly operations?: Operations | undefined;
    readonly volumes?: readonly RestoredVolumeInfo[] | undefined;
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
  describeValidation(into, status.validationErrors);
  describeCauses(into, files.results);
  describeResults(into, status, files.results);
  describeRestoreSpec(into, restore, files.volumes);
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
      .line()
      .line(`HooksAttempted: \t${status.hookStatus.hooksAttempted ?? 0}`)
      .field("HooksFailed", status.hookStatus.hooksFailed ?? 0);
  if (details) {
    into.line();
    describeResourceList(into, files.resourceList);
  }
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

function describeCsiRestores(into: Description, volumes: RestoreStory["files"]["volumes"]): void {
  if (!volumes) return; // a restore that did not begin has no such file
  const own = volumes.filter(({ restoreMethod }) => restoreMethod === "CSISnapshot");
  if (own.length === 0) into.line("CSI Snapshot Restores: <none included>").line();
  else
    into
      .block(
        "CSI Snapshot Restores",
        own.map(({ pvcNamespace, pvcName }) => `${pvcNamespace}/${pvcName}`),
      )
      .line();
}

function describeRestoreSpec(into: Description, { spec }: Restore, volumes: RestoreStory["files"]["volumes"]): void {
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
  describeCsiRestores(into, volumes);
  into
    .line(`Existing Resource Policy: \t${spec.existingResourcePolicy || "<none>"}`)
    .field("ItemOperationTimeout", spec.itemOperationTimeout ?? "0s")
    .line();
  into.field("Preserve Service NodePorts", triState(spec.preserveNodePorts)).line();
  describeReference(into, "Resource modifier", spec.resourceModifier);
  describeReference(into, "Resource policies", spec.resourcePolicy);
  if (spec.uploaderConfig) {
    const { writeSparseFiles, parallelFilesDownload = 0 } = spec.uploaderConfig;
    into
      .block("Uploader config", [
        ...(writeSparseFiles ? [`Write Sparse Files:\t${writeSparseFiles}`] : []),
        ...(parallelFilesDownload > 0 ? [`Parallel Restore:\t${parallelFilesDownload}`] : []),
      ])
      .line();
  }
}
