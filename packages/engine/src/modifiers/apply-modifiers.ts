import { AppError, matchesLabels, messageOf, parseJson } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { compileGlob } from "../select/glob.ts";
import { includesExcludes } from "../select/includes-excludes.ts";
import { applyJsonPatch, JsonPatchFailure, type JsonPatchOperation } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import type { ModifierConditions, ModifierRule, PatchStep, ResourceModifiers } from "./parse-modifiers.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

export interface ModifiedItem {
  readonly object: KubernetesObject;
  /** One for each rule that could not be applied; the others were. */
  readonly errors: readonly string[];
}

/** Applies the rules in order. All conditions are asked of the item as it came; patches build on each other. */
export function applyResourceModifiers(
  { rules }: ResourceModifiers,
  item: KubernetesObject,
  groupResource: string,
): ModifiedItem {
  let object = item;
  const errors: string[] = [];
  for (const rule of rules) {
    try {
      if (matchesConditions(rule.conditions, item, groupResource)) object = applyRule(rule, object);
    } catch (error) {
      errors.push(messageOf(error));
    }
  }
  return { object, errors };
}

function matchesConditions(conditions: ModifierConditions, item: KubernetesObject, groupResource: string): boolean {
  const { namespace = "", name, labels } = item.metadata;
  if (namespace !== "" && !includesExcludes({ includes: conditions.namespaces }).shouldInclude(namespace)) return false;
  const matchesResource = compileGlob(conditions.groupResource, { separators: "." });
  if (!matchesResource) {
    throw new AppError(
      "InvalidArgument",
      `bad glob pattern of groupResource in condition: ${conditions.groupResource}`,
    );
  }
  if (!matchesResource(groupResource)) return false;
  if (conditions.resourceNameRegex && !new RegExp(conditions.resourceNameRegex, "u").test(name ?? "")) return false;
  if (conditions.labelSelector && !matchesLabels(conditions.labelSelector, labels)) return false;
  return (conditions.matches ?? []).every(({ path, value }) => hasValueAt(item, path, value));
}

function hasValueAt(item: KubernetesObject, path: string, value: string | undefined): boolean {
  try {
    applyJsonPatch(item, [{ op: "test", path, value: typedValue(value) }]);
    return true;
  } catch (error) {
    if (error instanceof JsonPatchFailure && error.reason !== "Invalid") return false;
    throw error;
  }
}

function applyRule(
  { patches, mergePatches, strategicPatches }: ModifierRule,
  item: KubernetesObject,
): KubernetesObject {
  if (patches.length > 0) return applySteps(patches, item);
  if (mergePatches.length > 0) {
    return requireObject(mergePatches.reduce<unknown>((object, patch) => applyMergePatch(object, patch), item));
  }
  if (strategicPatches.length > 0) return strategicPatches.reduce<KubernetesObject>(applyStrategicMerge, item);
  throw new AppError("InvalidArgument", "no patch data found");
}

function applySteps(steps: readonly PatchStep[], item: KubernetesObject): KubernetesObject {
  try {
    return requireObject(applyJsonPatch(item, steps.map(operationOf)));
  } catch (error) {
    if (!(error instanceof JsonPatchFailure)) throw error;
    if (error.reason === "TestFailed") return item; // such a test is a condition
    throw new AppError("InvalidArgument", "error in applying patch error in applying JSON Patch", { cause: error });
  }
}

function requireObject(value: unknown): KubernetesObject {
  const { kind, apiVersion, metadata } = (value ?? {}) as Partial<KubernetesObject>;
  if (typeof kind === "string" && typeof apiVersion === "string" && typeof metadata === "object" && metadata !== null) {
    return value as KubernetesObject;
  }
  throw new AppError("InvalidArgument", "the patched item has no kind, apiVersion or metadata");
}

function operationOf({ operation, from = "", path, value }: PatchStep): JsonPatchOperation {
  const op = operation.toLowerCase();
  if (op === "remove") return { op, path };
  if (op === "move" || op === "copy") return { op, from, path };
  return { op: op as "add" | "replace" | "test", path, value: typedValue(value) };
}

/** A rule's value is text. What reads as null, boolean, number, object or list is that; quotes around it keep it a text. */
export function typedValue(value: string | undefined): unknown {
  if (value === undefined || value === "") return "";
  if (value.startsWith('"') && value.endsWith('"')) return value.replace(/^"/, "").replace(/"$/, "");
  if (value === "null") return null;
  if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value);
  if (!isNumber && !/^[{[]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch (cause) {
    throw new AppError("InvalidArgument", `error in decoding json patch value ${JSON.stringify(value)}`, { cause });
  }
}
