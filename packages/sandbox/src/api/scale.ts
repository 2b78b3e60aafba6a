import { formatLabelSelector, type LabelSelector } from "@jibe/base";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import type { ResourceType } from "../registry/resource-type.ts";
import { invalid as invalidValue } from "../schema/field-error.ts";
import { badRequest, conflict, invalid, modifiedText } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { findEntry, type Written } from "./create-object.ts";
import { isTree, type KubeObject, listAt, type Tree, treeAt } from "./kube-object.ts";
import { trackFields } from "./track-fields.ts";
import { liveObject, replaceObject } from "./update-object.ts";

interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** How many there are and should be of what an object stands for. */
export function readScale(context: ApiContext, target: Target): Tree {
  return scaleOf(target.type, liveObject(target, findEntry(context, target)));
}

/** Changes how many there should be; answers with the new scale. */
export function writeScale(context: ApiContext, target: Target, given: Tree, options: WriteOptions): Tree {
  const { type, name } = target;
  const entry = findEntry(context, target);
  const object = liveObject(target, entry);
  const version = treeAt(given, "metadata")?.["resourceVersion"];
  if (typeof version === "string" && version !== "" && version !== String(entry.revision)) {
    throw conflict(type, name, modifiedText);
  }
  const replicas = treeAt(given, "spec")?.["replicas"] ?? 0;
  if (typeof replicas !== "number") throw badRequest("spec.replicas must be a number");
  if (replicas < 0) {
    const problem = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalid({ group: "autoscaling", kind: "Scale" }, name, [problem]);
  }
  setAt(object, pathsOf(type).spec, replicas);
  trackFields(context, target, { object, old: liveObject(target, entry) }, options);
  dropScaleTimes(object);
  const written = replaceObject(context, { ...target, subresource: "" }, { object, entry }, options);
  return scaleOf(type, writtenObject(target, written));
}

/** What is owned by way of a scale has no time, and therefore stands first. */
function dropScaleTimes({ metadata }: KubeObject): void {
  const entries = metadata.managedFields ?? [];
  const isScale = (entry: Tree) => entry["subresource"] === "scale";
  const scales = entries.filter(isScale).map(({ time: _time, ...entry }) => entry);
  metadata.managedFields = [...scales, ...entries.filter((entry) => !isScale(entry))];
}

/** Applies a patch to a scale, as to any object. */
export function patchScale(
  context: ApiContext,
  target: Target,
  { isJsonPatch, patch }: { readonly isJsonPatch: boolean; readonly patch: unknown },
  options: WriteOptions,
): Tree {
  const current = readScale(context, target);
  const patched = isJsonPatch ? applyJsonPatch(current, patch) : applyMergePatch(current, patch);
  if (!isTree(patched)) throw badRequest("the patch does not leave an object");
  return writeScale(context, target, patched, options);
}

function writtenObject(target: Target, written: Written): KubeObject {
  return "entry" in written ? liveObject(target, written.entry) : written.object;
}

function pathsOf({ custom }: ResourceType): ScalePaths {
  const split = (path: string) => path.split(".").slice(1);
  if (!custom?.scale) return { spec: ["spec", "replicas"], status: ["status", "replicas"], selector: undefined };
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = custom.scale;
  return {
    spec: split(specReplicasPath),
    status: split(statusReplicasPath),
    selector: labelSelectorPath ? split(labelSelectorPath) : undefined,
  };
}

function scaleOf(type: ResourceType, object: KubeObject): Tree {
  const paths = pathsOf(type);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = type.custom ? textOf(paths.selector && valueAt(object, paths.selector)) : selectorText(object);
  const replicas = valueAt(object, paths.spec);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === "number" && replicas !== 0 ? { replicas } : {},
    status: { replicas: valueAt(object, paths.status) ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** Older types select by a plain map, newer ones by a structure. */
function selectorText(object: KubeObject): string {
  const selector = treeAt(object, "spec", "selector");
  if (!selector) return "";
  const isStructured = "matchLabels" in selector || listAt(selector, "matchExpressions").length > 0;
  return formatLabelSelector(
    isStructured ? (selector as LabelSelector) : { matchLabels: selector as Record<string, string> },
  );
}

function valueAt(object: Tree, path: readonly string[]): unknown {
  return treeAt(object, ...path.slice(0, -1))?.[path.at(-1) ?? ""];
}

function setAt(object: Tree, path: readonly string[], value: unknown): void {
  let parent = object;
  for (const key of path.slice(0, -1)) {
    const next = isTree(parent[key]) ? parent[key] : {};
    parent[key] = next;
    parent = next;
  }
  parent[path.at(-1) ?? ""] = value;
}
