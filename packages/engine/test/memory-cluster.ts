import { AppError, cloneJson, type Labels, matchesLabels, parseLabelSelector, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { bodyFromBytes, type ItemBody } from "../src/item/item-body.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../src/modifiers/json-patch.ts";
import {
  type Cluster,
  type Discovery,
  type ExecRequest,
  type ExecResult,
  groupResourceOf,
  type ListedItem,
  type ObjectName,
  type PatchRequest,
  type ResourceType,
} from "../src/ports/cluster.ts";
import { commonTypes, discoveryOf, type FailedGroup, typeKey } from "./memory-types.ts";
import { mergePatch } from "./merge-patch.ts";

export interface MemoryClusterOptions {
  readonly types?: readonly ResourceType[];
  readonly objects?: readonly KubernetesObject[];
  readonly failures?: readonly FailedGroup[];
  /** Asked before each call, with its name and object (`list pods`, `get pods shop/web`); may throw or delay. */
  readonly fault?: (call: string) => void | Promise<void>;
  readonly exec?: (request: ExecRequest) => ExecResult | Promise<ExecResult>;
}

export interface MemoryCluster extends Cluster {
  add(...objects: readonly KubernetesObject[]): void;
  addTypes(...types: readonly ResourceType[]): void;
  /** The object as it is now; undefined when there is none. */
  read(groupResource: string, name: string, namespace?: string): KubernetesObject | undefined;
  remove(groupResource: string, name: string, namespace?: string): void;
  /** Every call so far, in the form `fault` sees it. */
  readonly calls: readonly string[];
}

const encoder = new TextEncoder();

/** A cluster in memory: stores, lists, patches and follows objects of the types it was given. It checks no schema. */
export function memoryCluster(options: MemoryClusterOptions = {}): MemoryCluster {
  const types = [...(options.types ?? commonTypes)];
  const stored = new Map<string, Map<string, KubernetesObject>>();
  const calls: string[] = [];
  const followers = new Set<() => void>();
  let revision = 1000;

  const table = (type: ResourceType) => {
    const key = groupResourceOf(type);
    const found = stored.get(key) ?? new Map<string, KubernetesObject>();
    stored.set(key, found);
    return found;
  };
  const enter = async (call: string, scope: Scope) => {
    scope.signal.throwIfAborted();
    calls.push(call);
    await options.fault?.(call);
  };
  const describe = (type: ResourceType, { namespace = "", name }: ObjectName) =>
    `${groupResourceOf(type)} ${rowKey(namespace, name)}`;
  const put = (type: ResourceType, object: KubernetesObject): KubernetesObject => {
    const { namespace = "", name } = object.metadata;
    const metadata = { ...object.metadata, resourceVersion: String(++revision) };
    const next = { ...object, metadata };
    table(type).set(rowKey(namespace, name), next);
    for (const wake of followers) wake();
    return next;
  };
  const require = (type: ResourceType, name: ObjectName): KubernetesObject => {
    const object = table(type).get(rowKey(name.namespace ?? "", name.name));
    if (object) return object;
    throw new AppError("NotFound", `${groupResourceOf(type)} ${JSON.stringify(name.name)} not found`);
  };
  const typeOf = (object: KubernetesObject): ResourceType => {
    const type = types.find((candidate) => typeKey(candidate) === `${object.apiVersion}/${object.kind}`);
    if (!type) throw new AppError("InvalidArgument", `no type for ${object.apiVersion}/${object.kind}`);
    return type;
  };
  let discovered: Discovery | undefined;
  const discovery = (): Discovery => {
    discovered ??= discoveryOf([...types], options.failures);
    return discovered;
  };
  const find = (groupResource: string): ResourceType => {
    const type = discovery().find(groupResource);
    if (!type) throw new AppError("NotFound", `no type ${groupResource}`);
    return type;
  };

  const self: MemoryCluster = {
    calls,
    add(...objects) {
      for (const object of objects) put(typeOf(object), cloneJson(object));
    },
    addTypes(...more) {
      types.push(...more);
      discovered = undefined;
    },
    read: (groupResource, name, namespace = "") => table(find(groupResource)).get(rowKey(namespace, name)),
    remove(groupResource, name, namespace = "") {
      table(find(groupResource)).delete(rowKey(namespace, name));
      for (const wake of followers) wake();
    },
    async discover(scope) {
      await enter("discover", scope);
      return discovery();
    },
    async version(scope) {
      await enter("version", scope);
      return { gitVersion: "v1.36.3", major: "1", minor: "36" };
    },
    async *listPages(type, { namespace, labelSelector = "", limit = 500 }, scope) {
      await enter(`list ${groupResourceOf(type)}${namespace ? ` ${namespace}` : ""}`, scope);
      const selector = parseLabelSelector(labelSelector);
      const rows = [...table(type).entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
      const matching = rows.filter(
        ({ metadata }) =>
          (!namespace || metadata.namespace === namespace) && matchesLabels(selector, labelsOf(metadata.labels)),
      );
      const size = limit > 0 ? limit : Math.max(1, matching.length);
      for (let at = 0; at < Math.max(1, matching.length); at += size) {
        if (at > 0) await enter(`list ${groupResourceOf(type)} page`, scope);
        yield matching.slice(at, at + size).map((object) => listed(object, type));
      }
    },
    async get(type, name, scope) {
      await enter(`get ${describe(type, name)}`, scope);
      return bodyOf(require(type, name), type);
    },
    async create(type, { namespace = "", body }, scope) {
      const object = cloneJson(body.object);
      const name = object.metadata.name ?? `${object.metadata.generateName ?? ""}${++revision}`;
      await enter(`create ${describe(type, { namespace, name })}`, scope);
      if (table(type).has(rowKey(namespace, name))) {
        throw new AppError("AlreadyExists", `${groupResourceOf(type)} ${JSON.stringify(name)} already exists`);
      }
      const metadata = {
        ...object.metadata,
        name,
        ...(namespace ? { namespace } : {}),
        uid: `uid-${++revision}`,
        creationTimestamp: object.metadata.creationTimestamp ?? "2026-01-02T03:04:05Z",
      };
      return bodyOf(put(type, { ...object, metadata }), type);
    },
    async patch(type, request, scope) {
      await enter(`patch ${describe(type, request)}`, scope);
      const patched = patchedObject(require(type, request), request);
      return bodyOf(put(type, patched), type);
    },
    async updateStatus(type, request, scope) {
      await enter(`update status ${describe(type, request)}`, scope);
      const { status } = request.body.object;
      return bodyOf(put(type, { ...require(type, request), status: cloneJson(status) }), type);
    },
    async delete(type, name, scope) {
      await enter(`delete ${describe(type, name)}`, scope);
      require(type, name);
      table(type).delete(rowKey(name.namespace ?? "", name.name));
      for (const wake of followers) wake();
    },
    async *follow(type, name, scope) {
      await enter(`follow ${describe(type, name)}`, scope);
      let seen: string | undefined = "never";
      while (true) {
        const changed = Promise.withResolvers<void>();
        const stop = () => changed.reject(scope.signal.reason);
        followers.add(changed.resolve);
        scope.signal.addEventListener("abort", stop, { once: true });
        try {
          const object = table(type).get(rowKey(name.namespace ?? "", name.name));
          if (object?.metadata.resourceVersion !== seen) {
            seen = object?.metadata.resourceVersion;
            yield object && cloneJson(object);
          }
          scope.signal.throwIfAborted();
          await changed.promise;
        } finally {
          followers.delete(changed.resolve);
          scope.signal.removeEventListener("abort", stop);
          changed.promise.catch(() => {}); // nobody waits for it any more
        }
      }
    },
    async exec(request, scope) {
      await enter(`exec ${request.namespace}/${request.pod} ${request.container} ${request.command.join(" ")}`, scope);
      return options.exec?.(request) ?? { exitCode: 0, stdout: "", stderr: "" };
    },
  };
  self.add(...(options.objects ?? []));
  return self;
}

/** As the API server does it: a test that does not hold is invalid, a resource version that is not the current one a conflict. */
function patchedObject(object: KubernetesObject, { patch, patchType, name }: PatchRequest): KubernetesObject {
  if (patchType === "json") {
    try {
      return applyJsonPatch(object, patch as readonly JsonPatchOperation[]);
    } catch (cause) {
      throw new AppError("InvalidArgument", `the patch of ${JSON.stringify(name)} does not apply`, { cause });
    }
  }
  const { resourceVersion } = (patch as Partial<KubernetesObject>).metadata ?? {};
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion) {
    throw new AppError("Conflict", `${JSON.stringify(name)} was changed by someone else`);
  }
  return mergePatch(object, patch) as KubernetesObject;
}

function rowKey(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function labelsOf(labels: Labels | undefined): Labels {
  return labels ?? {};
}

function listed(object: KubernetesObject, type: ResourceType): ListedItem {
  const { name, namespace = "", labels = {}, deletionTimestamp } = object.metadata;
  return {
    bytes: bodyOf(object, type).bytes,
    name,
    namespace,
    labels,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

/** The object in the version that was asked for: every version of a type holds the same content here. */
function bodyOf(object: KubernetesObject, type: ResourceType): ItemBody {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  return bodyFromBytes(encoder.encode(JSON.stringify({ ...object, apiVersion })));
}
