import { parseJson, setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject, ownObject, ownValue } from "../schema/json-object.ts";
import { sortedJson } from "../schema/sorted-json.ts";
import { compareFields } from "./compare-fields.ts";
import { FieldSet } from "./field-set.ts";
import { toFieldSet } from "./to-field-set.ts";
import type { TypedSchema } from "./typed-schema.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The fields that client-side apply set and that are still as it set them: kubectl may take those over. */
export function clientSideFields(schema: TypedSchema, live: JsonObject): FieldSet {
  const applied = lastApplied(live);
  if (!applied) return new FieldSet();
  const { added, modified, removed } = compareFields(schema, applied, live);
  return toFieldSet(schema, applied).difference(modified).difference(added).difference(removed);
}

function lastApplied(object: JsonObject): JsonObject | undefined {
  const text = ownValue(annotationsOf(object) ?? {}, lastAppliedAnnotation);
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const applied = parseJson(text);
    return isJsonObject(applied) ? applied : undefined;
  } catch {
    return undefined; // an annotation that someone broke gives no rights
  }
}

const annotationsOf = (object: JsonObject) => ownObject(ownObject(object, "metadata") ?? {}, "annotations");

/** Brings client-side apply's annotation up to date, where there is one. */
export function refreshLastApplied(object: JsonObject, applied: JsonObject): void {
  const annotations = annotationsOf(object);
  const current = annotations && ownValue(annotations, lastAppliedAnnotation);
  if (!annotations || typeof current !== "string" || current === "") return;
  setOwn(annotations, lastAppliedAnnotation, `${sortedJson(withoutAnnotation(applied))}\n`);
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = ownObject(applied, "metadata");
  const annotations = annotationsOf(applied);
  if (!metadata || !annotations || !Object.hasOwn(annotations, lastAppliedAnnotation)) return applied;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  return { ...applied, metadata: { ...metadata, annotations: rest } };
}
