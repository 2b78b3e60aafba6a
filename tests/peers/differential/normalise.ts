import { isRawNumber } from "@jibe/base";
import type { Files } from "./stored-files.ts";

type Tree = Readonly<Record<string, unknown>>;

/**
 * Brings files into a form in which equal meaning is equal content: lists without an order of their own are sorted, and
 * messages end where the words of a cause begin, because each server has its own words for those.
 */
export function normalised(files: Files): Files {
  return new Map([...files].map(([file, content]) => [file, normaliseContent(file, content)]));
}

// What is made beside another volume of the same name gets a name by chance.
const cloneName = /\bvelero-clone-[0-9a-f-]{36}/g;

function normaliseContent(file: string, stored: unknown): unknown {
  if (file.startsWith("archive/")) return stored;
  const content = mapTexts(stored, (text) => text.replace(cloneName, "velero-clone-…"));
  if (file.endsWith("-results.gz")) return withoutOperations(mapTexts(content, firstWords));
  if (file.endsWith(".json.gz") && Array.isArray(content)) return content.toSorted(byIdentity);
  if (file === "Backup" || file === "velero-backup.json") return normaliseBackup(content as Tree);
  if (file.startsWith("Schedule/")) return mapTexts(content, (text) => text.replace(/^(invalid schedule).*/s, "$1 …"));
  return isClusterObject.test(file) ? normaliseObject(content as Tree) : content;
}

const causes =
  /( error: \/|: rpc error: |: plugin |: cannot |: context deadline |, err: | error in applying JSON Patch).*$/s;
const missing = /^stat \S+\/resources\/(\S+?)\/(?:namespaces|cluster)\/(\S+)\.json: .*$/s;

function firstWords(text: string): string {
  return text.replace(missing, "additional item $1/$2 is not in the backup").replace(causes, " …");
}

const isClusterObject = /^[a-z0-9.-]+\/[^/]*\/[^/]+$/;
const clusterManagers = /^(kube-controller-manager|kube-scheduler|kwok)$/;

/** Of the writers of an object's fields only the servers and users count, in any order; a server is called "server". */
function normaliseObject(object: Tree): Tree {
  const { managedFields = [], ...metadata } = object["metadata"] as { managedFields?: { manager: string }[] };
  const counted = managedFields.filter(({ manager }) => !clusterManagers.test(manager));
  const named = counted.map((entry) => ({
    ...entry,
    manager: entry.manager.replace(/^(velero-server|jibe)$/, "server"),
  }));
  const sorted = named.toSorted((a, b) => JSON.stringify(withoutTime(a)).localeCompare(JSON.stringify(withoutTime(b))));
  return { ...object, metadata: { ...metadata, managedFields: sorted } };
}

const withoutTime = (entry: object) => ({ ...entry, time: "" });

// Failed operations count as errors with both servers. Velero lists some of them, jibe each with its item.
const ofOperation = /asynchronous operation failed|, plugin: /;

function withoutOperations(results: unknown): unknown {
  // Messages have no order of their own: items are worked on side by side.
  if (Array.isArray(results)) return results.filter((text) => !ofOperation.test(String(text))).toSorted();
  if (typeof results !== "object" || results === null) return results;
  const kept = Object.entries(results).map(([key, value]) => [key, withoutOperations(value)] as const);
  return Object.fromEntries(kept.filter(([key, value]) => key === "errors" || key === "warnings" || !isEmpty(value)));
}

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

function byIdentity(a: unknown, b: unknown): number {
  return identityOf(a).localeCompare(identityOf(b));
}

/** Volumes by their volume, operations by their operation, snapshots by what they are of. */
function identityOf(entry: unknown): string {
  const { pvName, pvcName, spec } = entry as { pvName?: string; pvcName?: string; spec?: Tree };
  if (pvName !== undefined) return `${pvName} ${pvcName}`;
  return String(spec?.["operationID"] ?? spec?.["persistentVolumeName"] ?? "");
}

/**
 * Velero adds the namespaces that are labelled out in any order. A refused policy is explained by the reader of YAML, and
 * Velero gives the backup's name where it means the ConfigMap's.
 */
function normaliseBackup(backup: Tree): Tree {
  const { excludedNamespaces, ...spec } = backup["spec"] as { excludedNamespaces?: string[] };
  const { validationErrors, ...status } = backup["status"] as { validationErrors?: string[] };
  return {
    ...backup,
    spec: { ...spec, excludedNamespaces: excludedNamespaces?.toSorted() },
    status: {
      ...status,
      validationErrors: validationErrors?.map((text) => text.replace(/( ResourcePolicies ).*/s, "$1…")),
    },
  };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
