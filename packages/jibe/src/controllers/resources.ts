import { hasCode, type Scope } from "@jibe/base";
import { bodyFromObject, type Cluster, type ItemBody, type ListOptions, type ResourceType } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

/** A merge patch of an object: `null` removes a key. */
export type MergePatch = { readonly [key: string]: unknown };

/** The objects of one of our types in the server's namespace, typed. */
export class Resources<T extends KubernetesObject> {
  readonly #cluster: Cluster;
  readonly #type: ResourceType;
  readonly #namespace: string;

  constructor(cluster: Cluster, type: ResourceType, namespace: string) {
    this.#cluster = cluster;
    this.#type = type;
    this.#namespace = namespace;
  }

  get namespace(): string {
    return this.#namespace;
  }

  async find(name: string, scope: Scope): Promise<T | undefined> {
    try {
      return await this.get(name, scope);
    } catch (error) {
      if (hasCode(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async get(name: string, scope: Scope): Promise<T> {
    return this.#object(await this.#cluster.get(this.#type, { namespace: this.#namespace, name }, scope));
  }

  async list(options: Pick<ListOptions, "labelSelector" | "mayBeStale">, scope: Scope): Promise<T[]> {
    const found: T[] = [];
    for await (const page of this.#cluster.listPages(this.#type, { ...options, namespace: this.#namespace }, scope)) {
      for (const { bytes } of page) found.push(JSON.parse(new TextDecoder().decode(bytes)) as T);
    }
    return found;
  }

  async create(object: T, scope: Scope): Promise<T> {
    const body = bodyFromObject({ ...object, metadata: { ...object.metadata, namespace: this.#namespace } });
    return this.#object(await this.#cluster.create(this.#type, { namespace: this.#namespace, body }, scope));
  }

  /** Changes what the patch names, whatever else happened meanwhile. */
  async patch(name: string, patch: MergePatch, scope: Scope): Promise<T> {
    const request = { namespace: this.#namespace, name, patch, patchType: "merge" } as const;
    return this.#object(await this.#cluster.patch(this.#type, request, scope));
  }

  /** Changes what the patch names, but fails with `Conflict` when anyone wrote the object since it was read. */
  async patchUnchanged(read: T, patch: MergePatch, scope: Scope): Promise<T> {
    const { name, resourceVersion } = read.metadata;
    const metadata = { ...(patch["metadata"] as MergePatch | undefined), resourceVersion };
    return this.patch(name, { ...patch, metadata }, scope);
  }

  /** Applies JSON patch operations; a `test` that does not hold fails with `InvalidArgument` and changes nothing. */
  async patchTested(name: string, operations: readonly MergePatch[], scope: Scope): Promise<T> {
    const request = { namespace: this.#namespace, name, patch: operations, patchType: "json" } as const;
    return this.#object(await this.#cluster.patch(this.#type, request, scope));
  }

  /** Deleting what is not there is no error. */
  async delete(name: string, scope: Scope): Promise<void> {
    try {
      await this.#cluster.delete(this.#type, { namespace: this.#namespace, name }, scope);
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
    }
  }

  #object(body: ItemBody): T {
    return body.object as T;
  }
}
