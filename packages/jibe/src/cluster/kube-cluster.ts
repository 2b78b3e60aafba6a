import type { Scope } from "@jibe/base";
import {
  bodyFromBytes,
  bodyFromObject,
  type Cluster,
  type ListedItem,
  type ObjectName,
  type ResourceType,
} from "@jibe/engine";
import { isExpired, type KubeClient, type RawItem } from "@jibe/kube";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

/** The engine's cluster over a client. Bytes pass through in both directions; an answer is parsed only when someone looks. */
export function kubeCluster(client: KubeClient): Cluster {
  return {
    discover: (scope) => client.discover(scope),
    version: (scope) => client.version(scope),
    async *listPages(type, { mayBeStale, ...options }, scope) {
      const from = mayBeStale ? { ...options, resourceVersion: "0" } : options;
      for await (const { items } of client.listPages(type, from, scope)) yield listedItems(items);
    },
    get: async (type, name, scope) => bodyFromBytes(await client.getRaw(type, name, scope)),
    create: async (type, { namespace, body, fieldManager }, scope) =>
      bodyFromBytes(await client.createRaw(type, { namespace, fieldManager, object: body.bytes }, scope)),
    patch: async (type, { patchType, ...request }, scope) => {
      // A field that another manager owns is the caller's to take: an apply by the engine is always meant.
      const force = patchType === "apply" ? true : undefined;
      return bodyFromObject(await client.patch(type, { ...request, contentType: patchType, force }, scope));
    },
    updateStatus: async (type, { body, ...name }, scope) =>
      bodyFromObject(await client.updateStatus(type, { ...name, object: body.bytes }, scope)),
    delete: (type, name, scope) => client.delete(type, name, scope),
    follow: (type, name, scope) => follow(client, type, name, scope),
    exec: async (request, scope) => {
      const { exitCode, stdout, stderr } = await client.exec(request, scope);
      return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
    },
  };
}

/** The client's items have all that the engine asks for, as getters that read the page; copying them would cost what they save. */
function listedItems(items: readonly RawItem[]): readonly ListedItem[] {
  return items as readonly ListedItem[];
}

async function* follow(
  client: KubeClient,
  type: ResourceType,
  { namespace, name }: ObjectName,
  scope: Scope,
): AsyncGenerator<KubernetesObject | undefined> {
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  while (true) {
    const { items, resourceVersion } = await client.list<KubernetesObject>(type, selection, scope);
    yield items[0];
    try {
      for await (const event of client.watch<KubernetesObject>(type, { ...selection, resourceVersion }, scope)) {
        yield event.type === "DELETED" ? undefined : event.object;
      }
    } catch (error) {
      if (!isExpired(error)) throw error; // otherwise the state is read again, and watched from there
    }
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
