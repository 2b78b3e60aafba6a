import { forEachConcurrent, hasCode, type Scope } from "@jibe/base";
import type { KubeClient, KubeObject, ResourceRef } from "@jibe/kube";
import { objectMakers } from "../../packages/kube/bench/mixed-objects.ts";

const namespaces: ResourceRef = {
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
};
const perNamespace = 500;

/** A few items apart from those that are measured, for a server's first run. */
export const warmUpNamespace = "warm-up";
const warmUpItems = 20;

/** The objects of a benchmark: `count` of mixed kinds, of which the first `operations` make the test plugins start an operation. */
export interface ItemPlan {
  readonly count: number;
  readonly operations?: number;
}

/** An object and where it belongs. */
export interface PlannedItem {
  readonly type: ResourceRef;
  readonly namespace: string;
  readonly object: KubeObject;
}

/** Names of the namespaces that hold a number of items. */
export function itemNamespaces(count: number): string[] {
  return Array.from({ length: Math.ceil(count / perNamespace) }, (_, index) => `bench-${index}`);
}

/** One after the other, so that a million of them need no room. */
export function* plannedItems({ count, operations = 0 }: ItemPlan, from = 0): Generator<PlannedItem> {
  for (let index = from; index < count; index++) {
    const namespace = `bench-${Math.floor(index / perNamespace)}`;
    yield plannedItem(index, namespace, index < operations);
  }
}

function plannedItem(index: number, namespace: string, hasOperation: boolean): PlannedItem {
  const maker = objectMakers[index % objectMakers.length];
  if (!maker) throw new Error("there is nothing to make");
  const object = maker.make(`item-${index}`, namespace);
  if (!hasOperation) return { type: maker.type, namespace, object };
  // What the plugins of packages/testkit/go/velero-plugins look for: an operation that is over when asked the third time.
  const labels = { ...object.metadata?.labels, "example.io/bia2": "operation", "example.io/ria2": "operation" };
  const annotations = { ...object.metadata?.annotations, "example.io/polls": "3" };
  return { type: maker.type, namespace, object: { ...object, metadata: { ...object.metadata, labels, annotations } } };
}

/** Fills a cluster with what is planned, from item `from` on, and with what a first run needs. */
export async function fillCluster(client: KubeClient, plan: ItemPlan, scope: Scope, from = 0): Promise<void> {
  await createNamespaces(client, [warmUpNamespace, ...itemNamespaces(plan.count)], scope);
  for (let index = 0; index < warmUpItems; index++)
    await create(client, plannedItem(index, warmUpNamespace, false), scope);
  const each = (item: PlannedItem, inner: Scope) => create(client, item, inner);
  await forEachConcurrent(plannedItems(plan, from), { limit: 32, each }, scope);
}

export async function createNamespaces(client: KubeClient, names: readonly string[], scope: Scope): Promise<void> {
  for (const name of names) {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await client.createRaw(namespaces, { object }, scope).catch(unlessThere);
  }
}

async function create(client: KubeClient, { type, namespace, object }: PlannedItem, scope: Scope): Promise<void> {
  await client.createRaw(type, { namespace, object }, scope).catch(unlessThere);
}

function unlessThere(error: unknown): void {
  if (!hasCode(error, "AlreadyExists")) throw error;
}
