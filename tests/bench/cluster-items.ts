import { forEachConcurrent, hasCode, type Scope } from "@jibe/base";
import type { KubeClient, ResourceRef } from "@jibe/kube";
import { objectMakers } from "../../packages/kube/bench/mixed-objects.ts";

const namespaces: ResourceRef = {
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
};
const perNamespace = 500;

/** Names of the namespaces that hold a number of items. */
export function itemNamespaces(items: number): string[] {
  return Array.from({ length: Math.ceil(items / perNamespace) }, (_, index) => `bench-${index}`);
}

/** Fills namespaces with mixed objects, about as many as asked for. */
export async function fillCluster(client: KubeClient, items: number, scope: Scope): Promise<void> {
  for (const name of itemNamespaces(items)) {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await client.createRaw(namespaces, { object }, scope).catch(unlessThere);
  }
  const each = async (index: number, inner: Scope) => {
    const maker = objectMakers[index % objectMakers.length];
    if (!maker) return;
    const namespace = `bench-${Math.floor(index / perNamespace)}`;
    await client
      .createRaw(maker.type, { namespace, object: maker.make(`item-${index}`, namespace) }, inner)
      .catch(unlessThere);
  };
  await forEachConcurrent(Array(items).keys(), { limit: 32, each }, scope);
}

function unlessThere(error: unknown): void {
  if (!hasCode(error, "AlreadyExists")) throw error;
}
