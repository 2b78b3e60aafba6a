import type { Scope } from "@jibe/base";
import { bodyFromBytes } from "../item/item-body.ts";
import { record, text } from "../policies/volume-facts.ts";
import type { Cluster, Discovery } from "../ports/cluster.ts";
import { claimNamesOf, type RoleBinding, roleBindingFrom } from "./related-items.ts";

/** What the built-in actions want to know of the cluster, each read once per run and only when first asked for. */
export class ClusterFacts {
  readonly #cluster: Cluster;
  #discovery: Promise<Discovery> | undefined;
  #bindings: Promise<readonly RoleBinding[]> | undefined;
  readonly #podsByClaim = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  discovery(scope: Scope): Promise<Discovery> {
    this.#discovery ??= this.#cluster.discover(scope);
    return this.#discovery;
  }

  roleBindings(scope: Scope): Promise<readonly RoleBinding[]> {
    this.#bindings ??= this.#readBindings(scope);
    return this.#bindings;
  }

  /** The running pods of a namespace by the claims they mount. */
  podsByClaim(namespace: string, scope: Scope): Promise<ReadonlyMap<string, readonly string[]>> {
    const pods = this.#podsByClaim.get(namespace) ?? this.#readPods(namespace, scope);
    this.#podsByClaim.set(namespace, pods);
    return pods;
  }

  /** The claims of a namespace that carry a label with a value. */
  async claimsWithLabel(
    { namespace, key, value }: { readonly namespace: string; readonly key: string; readonly value: string },
    scope: Scope,
  ): Promise<string[]> {
    const type = (await this.discovery(scope)).find("persistentvolumeclaims");
    const names: string[] = [];
    if (!type) return names;
    for await (const page of this.#cluster.listPages(type, { namespace, labelSelector: `${key}=${value}` }, scope)) {
      names.push(...page.map(({ name }) => name));
    }
    return names;
  }

  async #readBindings(scope: Scope): Promise<readonly RoleBinding[]> {
    const type = (await this.discovery(scope)).find("clusterrolebindings.rbac.authorization.k8s.io");
    const bindings: RoleBinding[] = [];
    if (!type) return bindings;
    for await (const page of this.#cluster.listPages(type, {}, scope)) {
      bindings.push(...page.map(({ bytes }) => roleBindingFrom(bodyFromBytes(bytes).object)));
    }
    return bindings;
  }

  async #readPods(namespace: string, scope: Scope): Promise<ReadonlyMap<string, readonly string[]>> {
    const type = (await this.discovery(scope)).find("pods");
    const byClaim = new Map<string, string[]>();
    if (!type) return byClaim;
    for await (const page of this.#cluster.listPages(type, { namespace }, scope)) {
      for (const { bytes, name } of page) {
        const pod = bodyFromBytes(bytes).object;
        if (text(record(pod["status"])["phase"]) !== "Running") continue;
        for (const claim of claimNamesOf(pod)) byClaim.set(claim, [...(byClaim.get(claim) ?? []), name]);
      }
    }
    return byClaim;
  }
}
