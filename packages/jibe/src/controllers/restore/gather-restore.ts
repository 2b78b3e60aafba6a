import type { Scope } from "@jibe/base";
import type { RestoreSurroundings } from "@jibe/engine";
import { labels } from "../../api/names.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import type { Resources } from "../resources.ts";
import type { RunSurroundings } from "../run-surroundings.ts";
import { findConfigMap } from "./find-config-map.ts";

/** Reads all that a restore's validation may ask for, so that the decision itself needs no cluster. */
export async function gatherRestore(
  restore: Restore,
  {
    backups,
    world,
    defaultItemOperationTimeout,
  }: {
    readonly backups: Resources<Backup>;
    readonly world: RunSurroundings;
    readonly defaultItemOperationTimeout: string;
  },
  scope: Scope,
): Promise<RestoreSurroundings> {
  const { backupName, scheduleName, resourceModifier, resourcePolicy } = restore.spec;
  const ofSchedule = scheduleName
    ? await backups.list({ labelSelector: `${labels.scheduleName}=${scheduleName}` }, scope)
    : [];
  const named = backupName ? await backups.find(backupName, scope) : undefined;
  const known = new Map([...ofSchedule, ...(named ? [named] : [])].map((backup) => [backup.metadata.name, backup]));
  const locations = new Map(
    (await world.locations.list({}, scope)).map(({ metadata, status }) => [metadata.name, status ?? {}]),
  );
  const configMaps = new Map<string, Awaited<ReturnType<typeof findConfigMap>>>();
  for (const { name } of [resourceModifier, resourcePolicy].filter((reference) => reference !== undefined)) {
    configMaps.set(name, await findConfigMap(name, backups.namespace, world, scope));
  }
  return {
    findBackup: (name) => known.get(name),
    backupsOfSchedule: () => ofSchedule,
    findLocation: (name) => locations.get(name),
    findConfigMap: (name) => configMaps.get(name),
    parseYaml: world.parseYaml,
    defaultItemOperationTimeout,
  };
}
