import { AppError, hasCode, type Scope } from "@jibe/base";
import {
  bodyFromBytes,
  type Cluster,
  type Discovery,
  type ListedItem,
  type ListOptions,
  type ResourceType,
} from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { fieldsOf, listOf, textOf } from "./object-fields.ts";
import { claimsOfPod } from "./related-items.ts";
import { wellKnownTypes } from "./well-known-types.ts";

/** The names of the cluster-wide bindings that give a service account its rights, and of their roles. */
export interface Rights {
  readonly bindings: readonly string[];
  readonly roles: readonly string[];
}

/**
 * What built-in actions want to know of the cluster. Each thing is read at most once a run, when first asked for; a reading that
 * failed is tried again by the next who asks.
 */
export class ClusterReads {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #kept = new Map<string, Promise<unknown>>();

  /** `namespace` is the server's own, where configurations of plugins lie. */
  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  get cluster(): Cluster {
    return this.#cluster;
  }

  discovery(scope: Scope): Promise<Discovery> {
    return this.#once("discovery", () => this.#cluster.discover(scope));
  }

  /** By `namespace/name` of the service account. */
  rights(scope: Scope): Promise<ReadonlyMap<string, Rights>> {
    return this.#once("rights", async () =>
      rightsFrom(await this.#objects(wellKnownTypes.clusterRoleBindings, {}, scope)),
    );
  }

  /** The names of the running pods of a namespace, by the claims they mount. */
  podsByClaim(namespace: string, scope: Scope): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#once(`pods/${namespace}`, async () => {
      const pods = await this.#objects(wellKnownTypes.pods, { namespace }, scope);
      const running = pods.filter((pod) => fieldsOf(pod["status"])["phase"] === "Running");
      const mounts = running.flatMap((pod) => claimsOfPod(pod).map((claim) => ({ claim, pod: pod.metadata.name })));
      const byClaim = Map.groupBy(mounts, ({ claim }) => claim);
      return new Map([...byClaim].map(([claim, entries]) => [claim, [...new Set(entries.map(({ pod }) => pod))]]));
    });
  }

  /** The claims of a namespace that carry a label with this value. */
  claimsLabelled(
    { namespace, key, value }: { readonly namespace: string; readonly key: string; readonly value: string },
    scope: Scope,
  ): Promise<readonly string[]> {
    const labelSelector = `${key}=${value}`;
    return this.#once(`claims/${namespace}/${labelSelector}`, async () => {
      const items = await this.#items(wellKnownTypes.claims, { namespace, labelSelector }, scope);
      return items.map(({ name }) => name);
    });
  }

  serviceAccounts(namespace: string, scope: Scope): Promise<readonly string[]> {
    return this.#once(`serviceaccounts/${namespace}`, async () => {
      const items = await this.#items(wellKnownTypes.serviceAccounts, { namespace }, scope);
      return items.map(({ name }) => name);
    });
  }

  hasStorageClass(name: string, scope: Scope): Promise<boolean> {
    return this.#once(`storageclasses/${name}`, async () => {
      try {
        await this.#cluster.get(wellKnownTypes.storageClasses, { name }, scope);
        return true;
      } catch (error) {
        if (hasCode(error, "NotFound")) return false;
        throw error;
      }
    });
  }

  /** The data of the ConfigMap that configures a plugin; empty when there is none. More than one is an error. */
  pluginConfig(plugin: string, kind: "RestoreItemAction", scope: Scope): Promise<Readonly<Record<string, string>>> {
    return this.#once(`config/${plugin}`, async () => {
      const options = { namespace: this.#namespace, labelSelector: `velero.io/plugin-config,${plugin}=${kind}` };
      const [config, ...more] = await this.#objects(wellKnownTypes.configMaps, options, scope);
      if (config && more.length > 0) {
        const names = [config, ...more].map(({ metadata }) => metadata.name).join(", ");
        throw new AppError(
          "InvalidArgument",
          `found more than one ConfigMap with labels ${options.labelSelector}: ${names}`,
        );
      }
      return fieldsOf(config?.["data"]) as Record<string, string>;
    });
  }

  async #objects(type: ResourceType, options: ListOptions, scope: Scope): Promise<KubernetesObject[]> {
    return (await this.#items(type, options, scope)).map(({ bytes }) => bodyFromBytes(bytes).object);
  }

  async #items(type: ResourceType, options: ListOptions, scope: Scope): Promise<ListedItem[]> {
    const items: ListedItem[] = [];
    for await (const page of this.#cluster.listPages(type, options, scope)) items.push(...page);
    return items;
  }

  #once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key) as Promise<T> | undefined;
    if (kept) return kept;
    const reading = read();
    this.#kept.set(key, reading);
    reading.catch(() => this.#kept.delete(key));
    return reading;
  }
}

function rightsFrom(bindings: readonly KubernetesObject[]): ReadonlyMap<string, Rights> {
  const byAccount = new Map<string, { bindings: Set<string>; roles: Set<string> }>();
  for (const binding of bindings) {
    for (const { kind, namespace, name } of listOf(binding["subjects"])) {
      if (kind !== "ServiceAccount") continue;
      const account = `${textOf(namespace)}/${textOf(name)}`;
      const rights = byAccount.get(account) ?? { bindings: new Set(), roles: new Set() };
      rights.bindings.add(binding.metadata.name);
      rights.roles.add(textOf(fieldsOf(binding["roleRef"])["name"]));
      byAccount.set(account, rights);
    }
  }
  return new Map(
    [...byAccount].map(([account, { bindings, roles }]) => [account, { bindings: [...bindings], roles: [...roles] }]),
  );
}
