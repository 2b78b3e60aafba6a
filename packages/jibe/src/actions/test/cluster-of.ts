import { AppError, matchesLabels, parseLabelSelector } from "@jibe/base";
import { bodyFromObject, type Cluster, type ListedItem, type ResourceType } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

/** A cluster that holds these objects and can only be read. It counts how often it was asked. */
export function clusterOf(
  objects: readonly KubernetesObject[],
  types: readonly ResourceType[] = [],
): Cluster & { readonly calls: readonly string[] } {
  const calls: string[] = [];
  const refuse = async () => {
    throw new AppError("PermissionDenied", "this cluster can only be read");
  };
  const discovery = {
    groups: [],
    resources: types,
    preferred: () => types,
    find: (name: string) => types.find(({ resource }) => resource === name),
    failures: [],
  };
  return {
    calls,
    discover: async () => {
      calls.push("discover");
      return discovery;
    },
    version: async () => ({ gitVersion: "v1.36.3", major: "1", minor: "36" }),
    async *listPages(type, { namespace, labelSelector = "" }) {
      calls.push(`list ${type.resource}`);
      const selector = parseLabelSelector(labelSelector);
      const found = objects.filter(
        ({ kind, metadata }) =>
          kind === type.kind &&
          (namespace === undefined || metadata.namespace === namespace) &&
          matchesLabels(selector, metadata.labels),
      );
      yield found.map(listed);
    },
    get: async (type, { name }) => {
      calls.push(`get ${type.resource}`);
      const version = type.group === "" ? type.version : `${type.group}/${type.version}`;
      const found = objects.find((object) => object.apiVersion === version && object.metadata.name === name);
      if (!found) throw new AppError("NotFound", `${type.resource} "${name}" not found`);
      return bodyFromObject(found);
    },
    create: refuse,
    patch: refuse,
    updateStatus: refuse,
    delete: refuse,
    // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
    async *follow() {
      await refuse();
    },
    exec: refuse,
  };
}

function listed(object: KubernetesObject): ListedItem {
  const { name, namespace = "", labels = {} } = object.metadata;
  return { bytes: bodyFromObject(object).bytes, name, namespace, labels };
}
