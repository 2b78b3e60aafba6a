import { AppError, type Scope } from "@jibe/base";
import { nameStamp } from "../../api/backup-from-schedule.ts";
import { labels } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore, RestoreSpec } from "../../api/resources.ts";
import { durationText, orSelectorsFrom, selectorFrom, withoutEmpty } from "../backup/spec-flags.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { type FlagValues, flag } from "../flags.ts";
import { printInstead, printInsteadFlags } from "../print/print-instead.ts";
import { printWrapped } from "../print/wrap-text.ts";
import { waitFlags } from "../wait/wait-flags.ts";
import { restoreTable } from "./restore-table.ts";

const restoreFlags = {
  fromBackup: flag.string("Backup to restore from"),
  fromSchedule: flag.string("Schedule whose newest backup to restore from"),
  allowPartiallyFailed: flag.optionalBoolean("With --from-schedule: a partially failed backup will do"),
  includeNamespaces: flag.list("Namespaces of the backup to include", ["*"]),
  excludeNamespaces: flag.list("Namespaces of the backup to exclude"),
  namespaceMappings: flag.map("Restore namespaces under other names", { separator: ":" }),
  includeResources: flag.list("Resources to include, as resource.group"),
  excludeResources: flag.list("Resources to exclude"),
  includeClusterResources: flag.optionalBoolean("Include cluster-scoped resources"),
  statusIncludeResources: flag.list("Resources whose status to restore"),
  statusExcludeResources: flag.list("Resources whose status not to restore"),
  labels: flag.map("Labels to put on the restore"),
  annotations: flag.map("Annotations to put on the restore"),
  selector: flag.string("Only restore items that match this label selector", "", { short: "l" }),
  orSelector: flag.string('Restore items that match one of these: "a=b or c=d"'),
  restoreVolumes: flag.optionalBoolean("Restore volumes from their snapshots"),
  preserveNodeports: flag.optionalBoolean("Keep the node ports of services"),
  existingResourcePolicy: flag.choice("What to do with what exists", ["", "none", "update"], ""),
  itemOperationTimeout: flag.duration("How long asynchronous operations may take (0: the server's default)"),
  resourceModifierConfigmap: flag.string("ConfigMap with resource modifiers"),
  resourcePoliciesConfigmap: flag.string("ConfigMap with policies that say more finely what to restore"),
  writeSparseFiles: flag.optionalBoolean("Write sparse files when restoring volumes"),
  parallelFilesDownload: flag.integer("Files to download at once (0: the server's default)"),
  ...printInsteadFlags,
} as const;

type RestoreFlags = FlagValues<typeof restoreFlags>;

export const restoreCreate = command({
  usage: "restore create [NAME]",
  summary: "Restore from a backup",
  examples: [
    "jibe restore create --from-backup shop --wait",
    "jibe restore create copy --from-backup shop --namespace-mappings shop:shop-copy",
  ],
  flags: { ...restoreFlags, ...waitFlags },
  async run({ args, flags }, world, scope) {
    if (args.length > 1) throw new AppError("InvalidArgument", "a restore has one name");
    if ((flags.fromBackup === "") === (flags.fromSchedule === "")) {
      throw new AppError("InvalidArgument", "say what to restore: --from-backup or --from-schedule, one of them");
    }
    await using access = await openClusterAccess(flags, world, scope);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const name = args[0] ?? `${flags.fromBackup || flags.fromSchedule}-${nameStamp(world.clock.now(), zone)}`;
    const restore: Restore = {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: {
        name,
        namespace: access.namespace,
        ...(Object.keys(flags.labels).length > 0 ? { labels: { ...flags.labels } } : {}),
        ...(Object.keys(flags.annotations).length > 0 ? { annotations: { ...flags.annotations } } : {}),
      },
      spec: { ...restoreSpecFrom(flags), ...(await sourceFrom(flags, access, scope)) },
    };
    if (await printInstead(restore, flags, restoreTable, world)) return exitCode.ok;
    await access.create(veleroTypes.restore, restore, scope);
    world.out.line(`Restore request "${name}" submitted successfully.`);
    if (!flags.wait) {
      printWrapped(
        world.out,
        `Run \`jibe restore describe ${name}\` or \`jibe restore logs ${name}\` for more details.`,
      );
      return exitCode.ok;
    }
    const { waitForEnd } = await import("../wait/wait-for-end.ts");
    return await waitForEnd({ kind: "restore", name }, { access, world, flags }, scope);
  },
});

function restoreSpecFrom(flags: RestoreFlags): RestoreSpec {
  if (flags.selector !== "" && flags.orSelector !== "") {
    throw new AppError("InvalidArgument", "use either --selector or --or-selector, not both");
  }
  const { statusIncludeResources, statusExcludeResources, namespaceMappings } = flags;
  return withoutEmpty<RestoreSpec>({
    includedNamespaces: [...flags.includeNamespaces],
    excludedNamespaces: [...flags.excludeNamespaces],
    includedResources: [...flags.includeResources],
    excludedResources: [...flags.excludeResources],
    namespaceMapping: Object.keys(namespaceMappings).length > 0 ? { ...namespaceMappings } : undefined,
    labelSelector: flags.selector === "" ? undefined : selectorFrom(flags.selector),
    orLabelSelectors: orSelectorsFrom(flags.orSelector),
    restorePVs: flags.restoreVolumes,
    preserveNodePorts: flags.preserveNodeports,
    includeClusterResources: flags.includeClusterResources,
    existingResourcePolicy: flags.existingResourcePolicy,
    itemOperationTimeout: durationText(flags.itemOperationTimeout),
    restoreStatus:
      statusIncludeResources.length > 0
        ? { includedResources: [...statusIncludeResources], excludedResources: [...statusExcludeResources] }
        : undefined,
    resourceModifier: flags.resourceModifierConfigmap
      ? { kind: "configmap", name: flags.resourceModifierConfigmap }
      : undefined,
    resourcePolicy: flags.resourcePoliciesConfigmap
      ? { kind: "configmap", name: flags.resourcePoliciesConfigmap }
      : undefined,
    uploaderConfig: withoutEmpty<NonNullable<RestoreSpec["uploaderConfig"]>>({
      writeSparseFiles: flags.writeSparseFiles,
      parallelFilesDownload: flags.parallelFilesDownload > 0 ? flags.parallelFilesDownload : undefined,
    }),
  });
}

/** The backup or schedule to restore from; checked before anything is sent. */
async function sourceFrom(flags: RestoreFlags, access: ClusterAccess, scope: Scope): Promise<RestoreSpec> {
  if (flags.fromBackup !== "") {
    await access.get(veleroTypes.backup, flags.fromBackup, scope);
    return { backupName: flags.fromBackup };
  }
  if (!flags.allowPartiallyFailed) return { scheduleName: flags.fromSchedule };
  const backups = await access.list<Backup>(veleroTypes.backup, `${labels.scheduleName}=${flags.fromSchedule}`, scope);
  const usable = backups
    .filter(({ status }) => status?.phase === "Completed" || status?.phase === "PartiallyFailed")
    .sort((a, b) => ((a.status?.startTimestamp ?? "") < (b.status?.startTimestamp ?? "") ? 1 : -1));
  const [newest] = usable;
  if (!newest) {
    throw new AppError(
      "NotFound",
      `no completed or partially failed backup of schedule ${JSON.stringify(flags.fromSchedule)} exists`,
    );
  }
  return { backupName: newest.metadata.name };
}
