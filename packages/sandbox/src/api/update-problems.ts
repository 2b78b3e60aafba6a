import { forbidden, invalid } from "../schema/field-error.ts";
import type { FieldProblem } from "./api-error.ts";
import type { KubeObject, ObjectMeta } from "./kube-object.ts";

const immutable = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

/** What a write may not do to the metadata of an object that exists. */
export function metadataUpdateProblems({ metadata }: KubeObject, { metadata: old }: KubeObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const field of immutable) {
    const given = metadata[field];
    if (given === undefined || given === null || given === old[field] || isUnset(given)) continue;
    problems.push(invalid(`metadata.${field}`, given, "field is immutable"));
  }
  problems.push(...newFinalizers(metadata, old));
  // The server checks this in general and again for the type, and names each problem twice.
  return [...problems, ...problems];
}

const isUnset = (value: unknown) => value === "";

function newFinalizers(metadata: ObjectMeta, old: ObjectMeta): FieldProblem[] {
  if (!old.deletionTimestamp) return [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
  if (added.length === 0) return [];
  const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
  const text = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [forbidden("metadata.finalizers", text)];
}
