import type { BackupSpec } from "../../api/resources.ts";
import { selectorText } from "../print/selector.ts";
import { type Description, listText, triState } from "./description.ts";

/** What a backup holds, as its spec says. */
export function describeBackupSpec(into: Description, spec: BackupSpec): void {
  into.block("Namespaces", [
    `Included:\t${listText(spec.includedNamespaces, "*")}`,
    `Excluded:\t${listText(spec.excludedNamespaces)}`,
  ]);
  into.line();
  describeResources(into, spec);
  into.line();
  into.field("Label selector", selectorText(spec.labelSelector)).line();
  into
    .field(
      "Or label selector",
      (spec.orLabelSelectors ?? []).map((selector) => selectorText(selector)).join(" or ") || "<none>",
    )
    .line();
  into.field("Storage Location", spec.storageLocation ?? "").line();
  into.field("Velero-Native Snapshot PVs", triState(spec.snapshotVolumes));
  if (spec.defaultVolumesToFsBackup !== undefined && spec.defaultVolumesToFsBackup !== null) {
    into.field("File System Backup (Default)", spec.defaultVolumesToFsBackup);
  }
  into
    .field("Snapshot Move Data", triState(spec.snapshotMoveData))
    .field("Data Mover", spec.datamover || "velero")
    .line();
  into.field("TTL", spec.ttl ?? "0s").line();
  into
    .field("CSISnapshotTimeout", spec.csiSnapshotTimeout ?? "0s")
    .field("ItemOperationTimeout", spec.itemOperationTimeout ?? "0s")
    .line();
  describeHooks(into, spec);
  const ordered = Object.entries(spec.orderedResources ?? {});
  if (ordered.length > 0)
    into
      .block(
        "OrderedResources",
        ordered.map(([type, names]) => `${type}: ${names}`),
      )
      .line();
}

function describeResources(into: Description, spec: BackupSpec): void {
  const isOld =
    (spec.includedResources?.length ?? 0) + (spec.excludedResources?.length ?? 0) > 0 ||
    (spec.includeClusterResources !== undefined && spec.includeClusterResources !== null);
  if (isOld) {
    const cluster = spec.includeClusterResources;
    into.block("Resources", [
      `Included:\t${listText(spec.includedResources, "*")}`,
      `Excluded:\t${listText(spec.excludedResources)}`,
      `Cluster-scoped:\t${cluster === undefined || cluster === null ? "auto" : cluster ? "included" : "excluded"}`,
    ]);
    return;
  }
  into.block("Resources", [
    `Included cluster-scoped:\t${listText(spec.includedClusterScopedResources)}`,
    `Excluded cluster-scoped:\t${listText(spec.excludedClusterScopedResources)}`,
    `Included namespace-scoped:\t${listText(spec.includedNamespaceScopedResources, "*")}`,
    `Excluded namespace-scoped:\t${listText(spec.excludedNamespaceScopedResources)}`,
  ]);
}

function describeHooks(into: Description, { hooks }: BackupSpec): void {
  const resources = hooks?.resources ?? [];
  if (resources.length === 0) {
    into.field("Hooks", "<none>").line();
    return;
  }
  into.line("Hooks:").line("\tResources:");
  for (const { name, pre = [], post = [], ...filter } of resources) {
    into.line(`\t\t${name}:`);
    into.line("\t\t\tNamespaces:");
    into.line(`\t\t\t\tIncluded:\t${listText(filter.includedNamespaces, "*")}`);
    into.line(`\t\t\t\tExcluded:\t${listText(filter.excludedNamespaces)}`);
    into.line().line("\t\t\tResources:");
    into.line(`\t\t\t\tIncluded:\t${listText(filter.includedResources, "*")}`);
    into.line(`\t\t\t\tExcluded:\t${listText(filter.excludedResources)}`);
    into.line().line(`\t\t\tLabel selector:\t${selectorText(filter.labelSelector)}`);
    for (const [title, own] of [
      ["Pre", pre],
      ["Post", post],
    ] as const) {
      for (const { exec } of own) {
        if (!exec) continue;
        into.line().line(`\t\t\t${title} Exec Hook:`);
        into.line(`\t\t\t\tContainer:\t${exec.container ?? ""}`);
        into.line(`\t\t\t\tCommand:\t${exec.command.join(" ")}`);
        into.line(`\t\t\t\tOn Error:\t${exec.onError ?? ""}`);
        into.line(`\t\t\t\tTimeout:\t${exec.timeout ?? "0s"}`);
      }
    }
  }
  into.line();
}
