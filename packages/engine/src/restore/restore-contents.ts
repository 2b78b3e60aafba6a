import { AppError, hasCode, type Logger, messageOf, type Scope } from "@jibe/base";
import { type Archive, openArchive } from "../archive/archive.ts";
import { labelValueFrom } from "../layout/label-value.ts";
import { backupKeys } from "../layout/object-keys.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import { Slots } from "../slots/slots.ts";
import { readBackupVolumes } from "./backup-volumes.ts";
import { chooseVersions } from "./choose-versions.ts";
import { collectRestore, type RestorePlan } from "./collect-restore.ts";
import { ExistingGuess } from "./existing-guess.ts";
import { FilterRules } from "./filter-rules.ts";
import { LiveObjects } from "./live-objects.ts";
import type { MadeVolumes } from "./made-volumes.ts";
import { NamespaceGate } from "./namespace-gate.ts";
import { addArchivedDefinitions, refreshTypes, writtenDefinitions } from "./refresh-types.ts";
import { resolveActions } from "./resolved-actions.ts";
import { restoreFilters } from "./restore-filters.ts";
import type { RestoreHooks } from "./restore-hooks.ts";
import { restoreItem } from "./restore-item.ts";
import { createRestoreProgress } from "./restore-progress.ts";
import type { RestoreRequest, RestoreRunPorts, RestoreSettings } from "./restore-request.ts";
import type { RestoreRun } from "./restore-run.ts";
import { type HandledNamespaces, recordNotReached, restoreWave } from "./restore-waves.ts";
import type { RestoredItems } from "./restored-items.ts";
import { TypeTable } from "./type-table.ts";
import { type RestoredVolume, VolumeRules } from "./volume-rules.ts";

/** What the items of a run leave behind. */
export interface RestoreYield {
  readonly items: RestoredItems;
  readonly operations: RestoreOperation[];
  readonly volumes: RestoredVolume[];
  readonly made: MadeVolumes;
  /** Whether the run came as far as a plan; one that did not has no progress. */
  isPlanned: boolean;
}

export interface ContentsOptions {
  readonly request: RestoreRequest;
  readonly settings: RestoreSettings;
  readonly ports: RestoreRunPorts;
  readonly ledger: Ledger;
  readonly itemLog: Logger;
  readonly hooks: RestoreHooks;
  /** Filled as the run goes, so that an early end leaves an account too. */
  readonly left: RestoreYield;
}

/** Opens the backup, plans and restores. What makes a beginning impossible is thrown; everything else is in the ledger. */
export async function restoreContents(options: ContentsOptions, scope: Scope): Promise<void> {
  const { request, ports, ledger } = options;
  const name = request.backup.metadata.name;
  scope.log.info("starting restore", { backup: `${request.backup.metadata.namespace}/${name}` });
  const volumes = await readBackupVolumes(ports.store, name, scope);
  await using archive = await open(options, scope);
  if (!archive) return;
  if (!archive.hasResources) {
    options.left.isPlanned = true;
    ledger.warning({ message: "zero items to be restored: the backup has no resources" });
    return await ports.patchStatus({ progress: { totalItems: 0, itemsRestored: 0 } }, scope);
  }
  const { volumes: restored, made } = options.left;
  const rules = new VolumeRules(volumes, { restored, made });
  await using live = new LiveObjects(ports.cluster);
  const run = await prepareRun(options, { archive, live, volumes: rules }, scope);
  if (!run) return;
  options.left.isPlanned = true;
  await restorePlan(run, scope);
}

async function open({ request, ports, ledger }: ContentsOptions, scope: Scope): Promise<Archive | undefined> {
  const key = backupKeys(request.backup.metadata.name).contents;
  try {
    return await openArchive(ports.store.get(key, scope), { scratch: ports.scratch }, scope);
  } catch (cause) {
    scope.signal.throwIfAborted();
    if (!hasCode(cause, "DataLoss") && !hasCode(cause, "InvalidArgument")) {
      throw new AppError("Unavailable", "error downloading backup", { cause });
    }
    ledger.error({ message: messageOf(cause) });
    return undefined;
  }
}

async function prepareRun(
  options: ContentsOptions,
  { archive, live, volumes }: Pick<RestoreRun, "archive" | "live" | "volumes">,
  scope: Scope,
): Promise<RestoreRun | undefined> {
  const { request, settings, ports, ledger, itemLog, hooks, left } = options;
  const { restore, backup } = request;
  const types = new TypeTable(await ports.cluster.discover(scope));
  await addArchivedDefinitions({ archive, types }, scope);
  const resolved = await resolveNames(options, types, scope).catch((error) => {
    scope.signal.throwIfAborted();
    ledger.error({ message: messageOf(error) });
    return undefined;
  });
  if (!resolved) return undefined;
  const run: RestoreRun = {
    request,
    restore,
    settings,
    ports,
    ledger,
    itemLog,
    archive,
    types,
    ...resolved,
    items: left.items,
    operations: left.operations,
    slots: new Slots(settings.concurrency),
    namespaces: new NamespaceGate({ ports, archive, settings, onCreated: (name) => countNamespace(options, name) }),
    volumes,
    hooks,
    existing: new ExistingGuess(),
    live,
    labels: {
      "velero.io/backup-name": labelValueFrom(backup.metadata.name),
      "velero.io/restore-name": labelValueFrom(restore.metadata.name),
    },
    startedMs: Date.parse(restore.status?.startTimestamp ?? "") || ports.clock.now().getTime(),
    restoreItem: (place, ask, inner) => restoreItem(run, place, ask, inner),
  };
  return run;
}

/** What filters, policies and actions mean by the names they use. */
async function resolveNames(
  { request: { restore, policies }, settings: { enableCsi }, ports }: ContentsOptions,
  types: TypeTable,
  scope: Scope,
): Promise<Pick<RestoreRun, "filters" | "actions">> {
  const rules = policies && new FilterRules(policies, types, scope.log);
  const filters = restoreFilters(restore.spec, types, rules);
  return { filters, actions: await resolveActions(ports.plugins, { types, enableCsi }, scope) };
}

/** A namespace that was made is an item of the restore, whether it was planned or only needed. */
function countNamespace({ left: { items }, ledger }: ContentsOptions, name: string): void {
  ledger.item({ resource: "namespaces", namespace: "", name, outcome: "created" });
  if (items.find("namespaces", "", name)) return;
  const { item, end } = items.begin({ groupResource: "namespaces", namespace: "", targetNamespace: "", name });
  items.count(item, "v1/Namespace");
  item.action = "created";
  item.exists = true;
  end();
}

async function restorePlan(run: RestoreRun, scope: Scope): Promise<void> {
  const { archive, filters, types, settings } = run;
  const { priorities } = settings;
  const versions = versionsFor(run);
  const plan = await collectRestore({ archive, filters, types, priorities, versions }, scope);
  recordUnreadable(run, plan);
  scope.log.info("restore planned", { items: plan.total, waves: plan.waves.length });
  const progress = createRestoreProgress({ ports: run.ports, items: run.items, planned: plan.total }, scope);
  const handled: HandledNamespaces = new Set();
  try {
    for (const wave of plan.waves) {
      progress.enterWave(wave.name);
      await restoreWave(run, { wave, progress, handled }, scope);
      if (wave.name !== "customresourcedefinitions.apiextensions.k8s.io") continue;
      const written = writtenDefinitions(run);
      if (written.length > 0) await refreshTypes(run, written, scope);
    }
    await progress.finish(scope);
  } catch (error) {
    await progress.stop();
    recordNotReached(run, plan, handled);
    throw error;
  }
}

function versionsFor({ request, settings, archive, types }: RestoreRun): ReadonlyMap<string, string> {
  const format = request.backup.status?.formatVersion ?? "";
  if (!settings.enableApiGroupVersions || format < "1.1.0") return new Map();
  return chooseVersions(archive, types.discovery, settings.versionPriorities);
}

function recordUnreadable({ ledger, filters }: RestoreRun, { unreadable }: RestorePlan): void {
  for (const { groupResource, namespace, name, error } of unreadable) {
    const target = filters.targetNamespace(namespace);
    const file = namespace === "" ? `cluster/${name}.json` : `namespaces/${namespace}/${name}.json`;
    const message = `error decoding "resources/${groupResource}/${file}": ${error}`;
    ledger.error({ namespace: target, resource: groupResource, name, message });
    ledger.item({ resource: groupResource, namespace: target, name, outcome: "failed", step: "read", cause: message });
  }
}
