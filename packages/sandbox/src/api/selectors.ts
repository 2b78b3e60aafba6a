import { matchesLabels } from "@jibe/base";
import type { ResourceType } from "../registry/resource-type.ts";
import { type Entry, objectOf } from "../storage/entry.ts";
import { badRequest } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { isTree, type KubeObject } from "./kube-object.ts";
import { readLabelSelector } from "./label-selector.ts";

/** Which entries a list or a watch is about. Undefined means all. */
export type Selector = ((entry: Entry) => boolean) | undefined;

interface FieldRequirement {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** Reads the selectors of a request. */
export function selectorFrom(context: ApiContext, type: ResourceType, query: URLSearchParams): Selector {
  const checks = [
    labelCheck(query.get("labelSelector") ?? ""),
    fieldCheck(context, type, query.get("fieldSelector") ?? ""),
  ];
  const active = checks.filter((check) => check !== undefined);
  if (active.length === 0) return undefined;
  return (entry) => active.every((check) => check(entry));
}

function labelCheck(text: string): Selector {
  if (text === "") return undefined;
  const selector = readLabelSelector(text);
  return selector.matchExpressions?.length ? ({ labels }) => matchesLabels(selector, labels) : undefined;
}

function fieldCheck(context: ApiContext, type: ResourceType, text: string): Selector {
  const requirements = parseFieldSelector(text);
  if (requirements.length === 0) return undefined;
  const strategy = context.strategyOf(type);
  const known = new Set([
    "metadata.name",
    "metadata.namespace",
    ...(strategy.fieldNames ?? []),
    ...(type.custom?.selectableFields ?? []),
  ]);
  for (const { field } of requirements) {
    if (!known.has(field)) throw badRequest(`field label not supported: ${field}`);
  }
  const needsObject = requirements.some(({ field }) => field !== "metadata.name" && field !== "metadata.namespace");
  return (entry) => {
    const own = needsObject ? fieldsOf(context, type, objectOf(entry)) : {};
    return requirements.every(({ field, isEqual, value }) => {
      const actual =
        field === "metadata.name" ? entry.name : field === "metadata.namespace" ? entry.namespace : (own[field] ?? "");
      return (actual === value) === isEqual;
    });
  };
}

function fieldsOf(context: ApiContext, type: ResourceType, object: KubeObject): Readonly<Record<string, string>> {
  if (!type.custom) return context.strategyOf(type).fields?.(object) ?? {};
  const values = type.custom.selectableFields.map((path) => {
    const value = path
      .split(".")
      .slice(path.startsWith(".") ? 1 : 0)
      .reduce<unknown>((at, key) => (isTree(at) ? at[key] : undefined), object);
    return [path, value === undefined ? "" : String(value)] as const;
  });
  return Object.fromEntries(values);
}

/** Reads `a=b,c!=d`; a backslash keeps the next character. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  const terms = text.split(/(?<!\\),/).filter((term) => term !== "");
  return terms.map((term) => {
    const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = "", operator, value = ""] = match;
    return { field, isEqual: operator !== "!=", value: value.replaceAll(/\\([,=\\])/g, "$1") };
  });
}
