import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { textAt, valueAt } from "./object-edits.ts";

/** The cluster's service account with what only the backup's has: secrets by name, labels and annotations by key. */
export function mergeServiceAccount(live: KubernetesObject, fromBackup: KubernetesObject): KubernetesObject {
  const merged: KubernetesObject = { ...live, metadata: { ...live.metadata } };
  for (const field of ["secrets", "imagePullSecrets"]) {
    const references = mergeByName(valueAt(live, field), valueAt(fromBackup, field));
    if (references.length > 0) merged[field] = references;
  }
  merged.metadata.labels = { ...fromBackup.metadata.labels, ...live.metadata.labels };
  const annotations = { ...fromBackup.metadata.annotations, ...live.metadata.annotations };
  if (Object.keys(annotations).length > 0) merged.metadata.annotations = annotations;
  return merged;
}

function mergeByName(first: unknown, second: unknown): unknown[] {
  const known = Array.isArray(first) ? first : [];
  const names = new Set(known.map((reference) => textAt(reference, "name")));
  const more = Array.isArray(second) ? second.filter((reference) => !names.has(textAt(reference, "name"))) : [];
  return [...known, ...more];
}
