import { messageOf } from "@jibe/base";
import type { Read } from "./read.ts";

/** A VolumeSnapshotLocation, as far as the choice depends on it. */
export interface SnapshotLocationFacts {
  readonly name: string;
  readonly provider: string;
  /** Why its credentials cannot be had, where that is so. */
  readonly withoutCredentials?: string;
}

/** Chooses one location per provider: the one named, else the only one, else the server's default for it. */
export function chooseSnapshotLocations(
  named: readonly string[],
  {
    locations,
    defaults,
  }: { locations: Read<readonly SnapshotLocationFacts[]>; defaults: Readonly<Record<string, string>> },
): { readonly names: readonly string[]; readonly errors: readonly string[] } {
  if ("error" in locations) {
    const text = messageOf(locations.error);
    const first = named[0];
    const what =
      first === undefined ? "listing volume snapshot locations" : `getting volume snapshot location named ${first}`;
    return { names: [], errors: [`error ${what}: ${text}`] };
  }
  const byName = new Map(locations.value.map((location) => [location.name, location]));
  const chosen = new Map<string, string>();
  const errors = named.flatMap((name) => choose(name, byName.get(name), chosen));
  if (errors.length > 0) return { names: [], errors };
  for (const [provider, names] of namesByProvider(locations.value)) {
    if (chosen.has(provider)) continue;
    const [only] = names;
    const name = names.length === 1 ? only : defaults[provider];
    if (name === undefined || name === "") errors.push(ambiguous(provider));
    else if (!byName.has(name)) errors.push(`error getting volume snapshot location named ${name}: ${notFound(name)}`);
    else chosen.set(provider, name);
  }
  for (const name of chosen.values()) {
    const why = byName.get(name)?.withoutCredentials;
    if (why !== undefined) errors.push(`error adding credentials to volume snapshot location named ${name}: ${why}`);
  }
  return errors.length > 0 ? { names: [], errors } : { names: [...chosen.values()], errors: [] };
}

function choose(name: string, location: SnapshotLocationFacts | undefined, chosen: Map<string, string>): string[] {
  if (!location) {
    return [
      `a VolumeSnapshotLocation CRD for the location ${name} with the name specified in the backup spec needs to be created ` +
        `before this snapshot can be executed. Error: ${notFound(name)}`,
    ];
  }
  const { provider } = location;
  const other = chosen.get(provider);
  if (other !== undefined && other !== name) {
    const text = `more than one VolumeSnapshotLocation name specified for provider ${provider}: ${name}`;
    return [`${text}; unexpected name was ${other}`];
  }
  chosen.set(provider, name);
  return [];
}

function namesByProvider(locations: readonly SnapshotLocationFacts[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { provider, name } of locations) names.set(provider, [...(names.get(provider) ?? []), name]);
  return names;
}

function ambiguous(provider: string): string {
  return (
    `provider ${provider} has more than one possible volume snapshot location, and none were specified explicitly or as a ` +
    "default"
  );
}

function notFound(name: string): string {
  return `VolumeSnapshotLocation.velero.io ${JSON.stringify(name)} not found`;
}
