import { isRetriable, messageOf, type Scope } from "@jibe/base";
import type { BackupDefaults, PrepareBackupInput, Read, SnapshotLocationFacts } from "@jibe/engine";
import { labels } from "../../api/names.ts";
import { coreTypes } from "../../api/resource-types.ts";
import type { Backup, VolumeSnapshotLocation } from "../../api/resources.ts";
import type { RunSurroundings } from "../run-surroundings.ts";

export interface GatherOptions {
  readonly world: RunSurroundings;
  readonly defaults: BackupDefaults;
  /** Whether a look that is a moment old will do. */
  readonly mayBeStale?: boolean;
}

/** Reads all that a backup's validation asks for, so that the decision itself needs no cluster. */
export async function gatherBackup(
  backup: Backup,
  { world, defaults, mayBeStale = false }: GatherOptions,
  scope: Scope,
): Promise<PrepareBackupInput> {
  const { cluster, locations, snapshotLocations, clock, parseYaml } = world;
  const { namespace = "" } = backup.metadata;
  const policy = backup.spec.resourcePolicy;
  const { volumePoliciesConfigMap: shared } = defaults;
  const configMap = (name: string) =>
    read(async () => {
      const { object } = await cluster.get(coreTypes.configMap, { namespace, name }, scope);
      return { namespace, name, data: (object["data"] ?? {}) as Record<string, string> };
    }, scope);
  return {
    backup,
    now: clock.now(),
    defaults,
    parseYaml,
    clusterVersion: await cluster.version(scope),
    storageLocations: await read(
      async () =>
        (await locations.list({ mayBeStale }, scope)).map(({ metadata, spec, status }) => ({
          name: metadata.name,
          default: spec.default === true,
          ...(spec.accessMode ? { accessMode: spec.accessMode } : {}),
          ...(status?.phase ? { phase: status.phase } : {}),
        })),
      scope,
    ),
    snapshotLocations: await read(async () => {
      const found = await snapshotLocations.list({ mayBeStale }, scope);
      return Promise.all(found.map((location) => snapshotLocationFacts(location, world, scope)));
    }, scope),
    excludedNamespaces: await read(() => excludedNamespaces(world, mayBeStale, scope), scope),
    ...(policy ? { policyConfigMap: await configMap(policy.name) } : {}),
    ...(shared ? { globalPolicies: { name: shared, configMap: await configMap(shared) } } : {}),
  };
}

async function read<T>(get: () => Promise<T>, scope: Scope): Promise<Read<T>> {
  try {
    return { value: await get() };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (isRetriable(error)) throw error; // the backup is not to blame: it is looked at again
    scope.log.warn("cannot read what a backup's validation needs", { error: messageOf(error) });
    return { error };
  }
}

async function snapshotLocationFacts(
  location: VolumeSnapshotLocation,
  { snapshots }: RunSurroundings,
  scope: Scope,
): Promise<SnapshotLocationFacts> {
  const { metadata, spec } = location;
  const facts = { name: metadata.name, provider: spec.provider };
  if (!spec.credential) return facts;
  const opened = await read(() => snapshots.open(location, scope), scope);
  return "error" in opened ? { ...facts, withoutCredentials: messageOf(opened.error) } : facts;
}

async function excludedNamespaces({ cluster }: RunSurroundings, mayBeStale: boolean, scope: Scope): Promise<string[]> {
  const names: string[] = [];
  const labelSelector = `${labels.excludeFromBackup}=true`;
  for await (const page of cluster.listPages(coreTypes.namespace, { labelSelector, mayBeStale }, scope))
    names.push(...page.map(({ name }) => name));
  return names;
}
