import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { load, loadAll } from "js-yaml";

/** A Kubernetes object as a data file has it. */
export interface DataObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** What both servers must produce, besides agreeing with one another. */
export interface Expectation {
  /** Fields that the final status has, compared deeply; other fields may be there too. */
  readonly status: Readonly<Record<string, unknown>>;
  /** Paths below `resources/` that the archive has, or objects as `<type>/<namespace>/<name>` that the cluster has. */
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
  /** Lists of paths below `resources/` that the archive has in the order of each list, with whatever else between them. */
  readonly inOrder?: readonly (readonly string[])[];
  /** Texts that appear in the results or in the validation errors. */
  readonly messages?: readonly string[];
}

/** A difference that is meant, in one case; patterns as in the table of ignored paths. */
export interface MeantDifference {
  readonly file: string;
  readonly path: string;
  readonly reason: string;
  /** The version of jibe that has it first. */
  readonly since: string;
}

/** One backup that both servers make of the same cluster. */
export interface BackupSpec {
  /** The file's name without its ending; also the backup's name. */
  readonly name: string;
  readonly about: string;
  /**
   * Objects that only this backup needs, or in the file the name of a manifest such as `applications/kafka.yaml`; all
   * specs' objects are in the cluster together.
   */
  readonly objects: readonly DataObject[];
  /** Objects to delete without waiting, as kubectl names them: `configmap/x -n ns`. */
  readonly deleted: readonly string[];
  /** The Backup's spec. */
  readonly backup: Readonly<Record<string, unknown>>;
  /** Features of the servers that do it, such as `EnableAPIGroupVersions`. */
  readonly features?: readonly string[];
  readonly expect: Expectation;
  /** Where jibe does better on purpose. */
  readonly better?: readonly MeantDifference[];
}

/** One restore of a backup that real Velero made, by both servers, each into a cluster of its own. */
export interface RestoreSpec extends Omit<BackupSpec, "backup" | "deleted"> {
  /** The Backup's spec; by default all namespaces of `objects`. */
  readonly backup?: Readonly<Record<string, unknown>>;
  /** Objects that are in the target cluster before the restore. */
  readonly target: readonly DataObject[];
  /** The Restore's spec, without the backup's name. */
  readonly restore: Readonly<Record<string, unknown>>;
}

const here = import.meta.dirname;

export function readBackupSpecs(): readonly BackupSpec[] {
  return readSpecs<BackupSpec>("backup-specs", { objects: [], deleted: [] });
}

export function readRestoreSpecs(): readonly RestoreSpec[] {
  return readSpecs<RestoreSpec>("restore-specs", { objects: [], target: [] });
}

export function readSpecs<Spec>(folder: string, defaults: Partial<Spec>): readonly Spec[] {
  return filesIn(folder).map((file) => {
    const content = expand(load(readFileSync(file, "utf8"))) as { objects?: readonly DataObject[] | string };
    const objects = typeof content.objects === "string" ? readManifest(join(here, content.objects)) : content.objects;
    return { name: basename(file, ".yaml"), ...defaults, ...content, ...(objects ? { objects } : {}) } as Spec;
  });
}

/** The rich cluster: every object of the files in `cluster/`, in the order of the files' names. */
export function readClusterObjects(): readonly DataObject[] {
  return filesIn("cluster").flatMap(readManifest);
}

function readManifest(file: string): readonly DataObject[] {
  const documents: unknown[] = loadAll(readFileSync(file, "utf8"));
  return documents.filter((document) => document !== null).map((document) => expand(document) as DataObject);
}

function filesIn(folder: string): readonly string[] {
  const files = readdirSync(join(here, folder)).filter((file) => file.endsWith(".yaml"));
  return files.sort().map((file) => join(here, folder, file));
}

/**
 * Large texts are written as `{ $repeat: "text", times: 1000 }`, numbers beyond 2^53 as `{ $number: "…" }`, and many
 * objects as `{ $each: 60, of: { … } }` with `#` in their texts for the number of each.
 */
function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => (isMany(item) ? many(item) : [expand(item)]));
  if (typeof value !== "object" || value === null) return value;
  if ("$repeat" in value && "times" in value) return String(value.$repeat).repeat(Number(value.times));
  if ("$number" in value) return JSON.rawJSON(String(value.$number));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]));
}

interface Many {
  readonly $each: number;
  readonly of: unknown;
}

const isMany = (value: unknown): value is Many => typeof value === "object" && value !== null && "$each" in value;

function many({ $each, of }: Many): readonly unknown[] {
  const text = JSON.stringify(expand(of));
  return Array.from({ length: $each }, (_, index) => JSON.parse(text.replaceAll("#", String(index + 1))));
}
