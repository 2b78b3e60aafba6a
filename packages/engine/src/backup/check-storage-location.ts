import { messageOf } from "@jibe/base";
import type { Read } from "./read.ts";

/** A BackupStorageLocation, as far as a backup's validity depends on it. */
export interface StorageLocationFacts {
  readonly name: string;
  readonly default?: boolean;
  readonly accessMode?: string;
  readonly phase?: string;
}

/** The location a backup goes to, and what is wrong with it. A name that is left open is the default location's. */
export function storageLocationErrors(
  wanted: string,
  { locations, serverDefault }: { locations: Read<readonly StorageLocationFacts[]>; serverDefault: string },
): { readonly name: string; readonly errors: readonly string[] } {
  const all = "value" in locations ? locations.value : [];
  const name = wanted || (all.find((location) => location.default)?.name ?? serverDefault);
  if ("error" in locations) {
    return { name, errors: [`error getting backup storage location: ${messageOf(locations.error)}`] };
  }
  const location = all.find((candidate) => candidate.name === name);
  if (!location) return { name, errors: [notFound(name, wanted === "")] };
  return {
    name,
    errors: [
      ...(location.accessMode === "ReadOnly"
        ? [`backup can't be created because backup storage location ${name} is currently in read-only mode`]
        : []),
      ...(location.phase === "Available"
        ? []
        : [`backup can't be created because BackupStorageLocation ${name} is in Unavailable status.`]),
    ],
  };
}

function notFound(name: string, serverSpecified: boolean): string {
  const what = serverSpecified ? `server default ${name} does not exist` : `default ${name} was not found`;
  return (
    `an existing backup storage location was not specified at backup creation time and the ${what}. Please address this issue ` +
    "(see `velero backup-location -h` for options) and create a new backup. Error: " +
    `BackupStorageLocation.velero.io ${JSON.stringify(name)} not found`
  );
}
