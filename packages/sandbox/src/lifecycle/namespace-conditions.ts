import { jsonEquals } from "@jibe/base";
import { type ApiContext, internalWrite } from "../api/context.ts";
import { isTree, type KubeObject, listAt, type Tree, timeText, treeAt } from "../api/kube-object.ts";
import { trackFields } from "../api/track-fields.ts";
import type { ResourceType } from "../registry/resource-type.ts";

/** An object that holds up the end of its namespace. */
export interface Remaining {
  readonly type: ResourceType;
  readonly finalizers: readonly string[];
}

/** Says in a namespace's status what is still in it and what holds that. */
export function reportRemaining(context: ApiContext, namespace: KubeObject, left: readonly Remaining[]): void {
  const type = context.registry.find("", "v1", "namespaces");
  if (!type) return;
  const status = treeAt(namespace, "status") ?? {};
  const before = listAt(status, "conditions").filter(isTree);
  const now = timeText(context.clock.now());
  const conditions = conditionsFor(left).map((wanted) => {
    const current = before.find((condition) => condition["type"] === wanted["type"]);
    const since = current && current["status"] === wanted["status"] ? current["lastTransitionTime"] : now;
    return { ...wanted, lastTransitionTime: since };
  });
  if (jsonEquals(conditions, before)) return;
  const object = { ...namespace, metadata: { ...namespace.metadata }, status: { ...status, conditions } };
  const target = { type, namespace: "", name: namespace.metadata.name ?? "", subresource: "status" };
  trackFields(context, target, { object, old: namespace }, internalWrite);
  context.store.commit("namespaces", object);
}

function conditionsFor(left: readonly Remaining[]): Tree[] {
  const resources = counted(left.map(({ type }) => `${type.plural}.${type.group}`));
  const finalizers = counted(left.flatMap((one) => one.finalizers));
  const some = (list: ReadonlyMap<string, number>, words: string) =>
    [...list].map(([name, count]) => `${name} ${words} ${count} resource instances`).join(", ");
  return [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      status: "False",
      reason: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    {
      type: "NamespaceDeletionContentFailure",
      status: "False",
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    {
      type: "NamespaceContentRemaining",
      status: "True",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${some(resources, "has")}`,
    },
    finalizers.size > 0
      ? {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${some(finalizers, "in")}`,
        }
      : {
          type: "NamespaceFinalizersRemaining",
          status: "False",
          reason: "ContentHasNoFinalizers",
          message: "All content-preserving finalizers finished",
        },
  ];
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
