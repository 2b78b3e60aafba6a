import { AppError, type Scope } from "@jibe/base";
import { resolveActions } from "../actions/resolve-actions.ts";
import type { ArchiveEntry } from "../archive/index.ts";
import { BackupFilters } from "../collect/backup-filters.ts";
import { type ListedNamespace, listNamespaces } from "../collect/collect-namespaces.ts";
import { Collection } from "../collect/collected-item.ts";
import { type ResourceRules, resourceRules } from "../collect/resource-rules.ts";
import type { Spool } from "../collect/spool.ts";
import { ExecHooks, resourceHooks } from "../hooks/exec-hooks.ts";
import type { Discovery } from "../ports/cluster.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import type { IncludesExcludes } from "../select/includes-excludes.ts";
import { backupNamespaceFilter } from "../select/namespace-filter.ts";
import type { ObjectLookup } from "../volumes/claim-lookup.ts";
import { fsBackupClaims } from "../volumes/fs-backup-claims.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { SkippedVolumes } from "../volumes/skipped-volumes.ts";
import { Snapshotters } from "../volumes/take-snapshot.ts";
import { VolumeDecisions } from "../volumes/volume-decisions.ts";
import { VolumeItems } from "../volumes/volume-info.ts";
import type { BackedUpItems } from "./backed-up-items.ts";
import type { BackupPorts, BackupRequest } from "./backup-request.ts";
import type { BackupRun, RunVolumes } from "./backup-run.ts";
import type { ItemAccount } from "./item-account.ts";
import { ItemRuns } from "./item-runs.ts";
import type { StartedWorkList } from "./started-work.ts";

export interface RunParts {
  readonly plugins: RunPlugins;
  readonly spool: Spool;
  readonly items: BackedUpItems;
  readonly account: ItemAccount;
  readonly started: StartedWorkList;
  readonly store: (entry: ArchiveEntry, scope: Scope) => Promise<void>;
  readonly onTurn: (groupResource: string) => void;
  readonly onType: (groupResource: string) => void;
}

export interface OpenedRun {
  readonly run: BackupRun;
  readonly namespaces: readonly ListedNamespace[];
}

/** Reads what a run must know before it collects: types, namespaces, filters, hooks, and what each action applies to. */
export async function openRun(
  { backup, policies, options = {} }: BackupRequest,
  ports: BackupPorts,
  parts: RunParts,
  scope: Scope,
): Promise<OpenedRun> {
  const { cluster, clock } = ports;
  const { plugins, spool, ...rest } = parts;
  const discovery = await cluster.discover(scope);
  warnAboutFailures(discovery, scope);
  const namespaces = await listNamespaces({ cluster, discovery, spool, pageSize: options.pageSize ?? 500 }, scope);
  const filter = namespaceFilter(backup.spec, namespaces, scope);
  const rules = resourceRules({
    spec: backup.spec,
    discovery,
    namespaces: filter,
    policy: policies?.includeExclude,
  });
  const filters = policies?.filters && new BackupFilters(policies.filters, { types: discovery, rules, log: scope.log });
  const hooks = resourceHooks(backup.spec.hooks?.resources ?? [], discovery);
  const actions = await resolveActions(await plugins.backupActions(scope), discovery, scope);
  const blockActions = await resolveActions(await plugins.blockActions(scope), discovery, scope);
  const features = new Set(options.features ?? []);
  const hasCsiAction = actions.all.some(({ action }) => action.name === "velero.io/csi-pvc-backupper");
  const run: BackupRun = {
    backup,
    cluster,
    clock,
    discovery,
    inclusion: { namespaces: filter, rules, filters },
    actions,
    blockActions,
    features,
    hooks: new ExecHooks({ cluster, clock, hooks }),
    spool,
    collection: new Collection(),
    runs: new ItemRuns(),
    finalizing: false,
    ...rest,
  };
  const volumes = runVolumes({ run, rules, policies, ports, plugins, hasCsiAction });
  return { run: { ...run, volumes }, namespaces };
}

function warnAboutFailures({ failures }: Discovery, scope: Scope): void {
  for (const { group, version, error } of failures) {
    scope.log.warn("API group could not be read, its items are not in the backup", {
      apiGroup: group === "" ? version : `${group}/${version}`,
      error: error.message,
    });
  }
}

const argoLabel = "argocd.argoproj.io/managed-by";

function namespaceFilter(
  { includedNamespaces = [], excludedNamespaces = [] }: BackupRequest["backup"]["spec"],
  existing: readonly ListedNamespace[],
  scope: Scope,
): IncludesExcludes {
  const names = existing.map(({ name }) => name);
  const filter = backupNamespaceFilter({ includes: includedNamespaces, excludes: excludedNamespaces }, names);
  scope.log.info(`Including namespaces: ${includedNamespaces.join(", ") || "*"}`);
  scope.log.info(`Excluding namespaces: ${excludedNamespaces.join(", ") || "<none>"}`);
  const argo = existing.filter(({ name, labels }) => labels[argoLabel] && filter.shouldInclude(name));
  if (argo.length > 0) {
    scope.log.warn(
      "backup operation may encounter complications and potentially produce undesirable results due to the inclusion of " +
        `namespaces [${argo.map(({ name }) => name).join(" ")}] managed by ArgoCD in the backup.`,
    );
  }
  return filter;
}

function runVolumes({
  run,
  rules,
  policies,
  ports,
  plugins,
  hasCsiAction,
}: {
  readonly run: BackupRun;
  readonly rules: ResourceRules;
  readonly policies: BackupRequest["policies"];
  readonly ports: BackupPorts;
  readonly plugins: RunPlugins;
  readonly hasCsiAction: boolean;
}): RunVolumes {
  const { backup, cluster, clock, discovery, features, started } = run;
  const byDefault = backup.spec.defaultVolumesToFsBackup === true;
  const lookup = objectLookup(run);
  const claims = discovery.find("persistentvolumeclaims");
  const decisions = new VolumeDecisions({
    policies,
    snapshotVolumes: backup.spec.snapshotVolumes ?? undefined,
    defaultVolumesToFsBackup: byDefault,
    excludesClaims: claims === undefined || !rules.includes(claims),
    lookup,
    fsBackupClaims: fsBackupClaims({ cluster, discovery, byDefault }),
  });
  const skipped = new SkippedVolumes();
  return {
    decisions,
    skipped,
    pods: new PodVolumes({ decisions, skipped, lookup }),
    items: new VolumeItems(),
    native: {
      backup,
      clock,
      decisions,
      skipped,
      snapshotters: new Snapshotters(plugins, ports.snapshotLocations),
      csiEnabled: features.has("EnableCSI"),
      hasCsiAction,
      onSnapshot: (taken) => started.addSnapshot(taken),
    },
  };
}

/** What was collected is not read from the cluster again. */
function objectLookup({ cluster, discovery, collection, spool }: BackupRun): ObjectLookup {
  return async ({ groupResource, namespace, name }, scope) => {
    const [collected] = collection.find(groupResource, namespace, name);
    if (collected) return (await spool.read(collected, scope)).object;
    const type = discovery.find(groupResource);
    if (!type) throw new AppError("NotFound", `the cluster has no resource type ${groupResource}`);
    const place = namespace === "" ? { name } : { namespace, name };
    return (await cluster.get(type, place, scope)).object;
  };
}
