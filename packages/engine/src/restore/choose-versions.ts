import type { Archive } from "../archive/archive.ts";
import type { Discovery } from "../ports/cluster.ts";

/**
 * Which version of each type to restore, where a backup holds several: the user's wish if both sides have it, else the target's
 * preferred one if the backup has it, else the source's preferred one if the target serves it, else the first both have, else the
 * source's preferred one. Types that are not in the result are read from their unversioned copies.
 */
export function chooseVersions(
  archive: Pick<Archive, "groupResources" | "versions">,
  { groups }: Pick<Discovery, "groups">,
  userPriorities: string,
): ReadonlyMap<string, string> {
  const wishes = parseVersionPriorities(userPriorities);
  const chosen = new Map<string, string>();
  for (const groupResource of archive.groupResources()) {
    const source = [...archive.versions(groupResource)].sort((a, b) => compareVersions(a.version, b.version));
    const preferred = source.find((version) => version.preferred)?.version;
    if (preferred === undefined) continue;
    const group = groupResource.includes(".") ? groupResource.slice(groupResource.indexOf(".") + 1) : "";
    const target = groups.find(({ name }) => name === group);
    const inSource = new Set(source.map(({ version }) => version));
    const inTarget = [...(target?.versions ?? [])].sort(compareVersions);
    const common = inTarget.filter((version) => inSource.has(version));
    const wished = (wishes.get(groupResource) ?? []).find((version) => common.includes(version));
    const best = [wished, target?.preferredVersion, preferred].find(
      (version) => version !== undefined && common.includes(version),
    );
    chosen.set(groupResource, best ?? common[0] ?? preferred);
  }
  return chosen;
}

/** Lines of `resource.group=v2,v1`; others are ignored. */
export function parseVersionPriorities(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text.split("\n").map((line) => line.replaceAll(" ", ""));
  const pairs = lines.map((line) => line.split("=")).filter((pair) => pair.length === 2 && pair[0] && pair[1]);
  return new Map(pairs.map(([groupResource = "", versions = ""]) => [groupResource, versions.split(",")]));
}

/** Kubernetes' order of versions, best first: `v2`, `v1`, `v2beta1`, `v1beta2`, `v1alpha1`, then all others by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionRank(a), versionRank(b)];
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    if (value !== other) return other - value;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionRank(version: string): readonly [number, number, number, number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0, 0];
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return [1, stability, Number(match[1]), Number(match[3] ?? 0)];
}
