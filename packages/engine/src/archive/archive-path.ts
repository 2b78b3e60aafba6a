import { AppError } from "@jibe/base";

/** An item's place in an archive. */
export interface ArchiveItem {
  /** `pods`, `deployments.apps`. */
  readonly groupResource: string;
  /** Version part only: `v1`, `v1beta1`. */
  readonly version: string;
  /** Whether the version is the one the source cluster prefers. */
  readonly preferred: boolean;
  /** Empty for cluster-scoped items. */
  readonly namespace: string;
  readonly name: string;
}

const preferredSuffix = "-preferredversion";

/** The directory of a version: `v1-preferredversion`, `v1beta1`. */
export function versionDirOf(version: string, preferred: boolean): string {
  return preferred ? `${version}${preferredSuffix}` : version;
}

/** The reverse of `versionDirOf`. */
export function versionFromDir(dir: string): { readonly version: string; readonly preferred: boolean } {
  const preferred = dir.endsWith(preferredSuffix);
  return { version: preferred ? dir.slice(0, -preferredSuffix.length) : dir, preferred };
}

/** Where an item is stored: in the preferred version twice, unversioned first; otherwise only under its version. */
export function archivePathsOf({ groupResource, version, preferred, namespace, name }: ArchiveItem): string[] {
  for (const part of [groupResource, version, name]) requireSegment(part, { groupResource, namespace, name });
  if (namespace !== "") requireSegment(namespace, { groupResource, namespace, name });
  const file = namespace === "" ? `cluster/${name}.json` : `namespaces/${namespace}/${name}.json`;
  const versioned = `resources/${groupResource}/${versionDirOf(version, preferred)}/${file}`;
  return preferred ? [`resources/${groupResource}/${file}`, versioned] : [versioned];
}

function requireSegment(part: string, item: { groupResource: string; namespace: string; name: string }): void {
  if (part !== "" && part !== "." && part !== ".." && !/[/\0]/.test(part)) return;
  throw new AppError("InvalidArgument", `cannot store an item under the name ${JSON.stringify(part)}`, {
    fields: item,
  });
}

/** What an entry's path says. `dir` is the version directory, empty for the unversioned copy. */
export type EntryPlace =
  | {
      readonly kind: "item";
      readonly groupResource: string;
      readonly dir: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: "metadata"; readonly path: string };

/** Reads an entry's path. Paths that escape and paths that no archive has fail with `InvalidArgument`. */
export function parseEntryPath(path: string): EntryPlace {
  const parts = (path.startsWith("./") ? path.slice(2) : path).split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"))) {
    throw new AppError("InvalidArgument", `archive entry ${JSON.stringify(path)} has a path that is not allowed`);
  }
  if (parts[0] === "metadata" && parts.length > 1) return { kind: "metadata", path: parts.join("/") };
  const place = itemPlace(parts);
  if (!place) throw new AppError("InvalidArgument", `archive entry ${JSON.stringify(path)} is not expected`);
  return place;
}

function itemPlace([top, groupResource, ...rest]: string[]): EntryPlace | undefined {
  if (top !== "resources" || groupResource === undefined) return undefined;
  const versioned = rest[0] !== "cluster" && rest[0] !== "namespaces";
  const dir = versioned ? rest[0] : "";
  const [scope, ...file] = versioned ? rest.slice(1) : rest;
  const namespaced = scope === "namespaces";
  if (dir === undefined || (!namespaced && scope !== "cluster") || file.length !== (namespaced ? 2 : 1))
    return undefined;
  const fileName = file.at(-1) ?? "";
  if (!fileName.endsWith(".json") || fileName === ".json") return undefined;
  const name = fileName.slice(0, -".json".length);
  return { kind: "item", groupResource, dir, namespace: namespaced ? (file[0] ?? "") : "", name };
}
