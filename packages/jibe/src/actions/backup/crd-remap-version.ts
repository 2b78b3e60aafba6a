import type { BackupItemActionV1, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { fieldsOf, listOf } from "../object-fields.ts";

const group = "apiextensions.k8s.io";

/**
 * Stores a definition that was made as v1beta1 in that version, where the cluster still serves it: as v1 such a definition may be
 * one that no server accepts.
 */
export function crdRemapVersion(reads: ClusterReads): BackupItemActionV1 {
  return {
    appliesTo: async () => ({ includedResources: [`customresourcedefinitions.${group}`] }),
    execute: async (item, _backup, scope) => {
      if (item.apiVersion !== `${group}/v1` || !needsBeta(item)) return { item };
      const { resources } = await reads.discovery(scope);
      const beta = resources.find(
        (type) => type.group === group && type.version === "v1beta1" && type.resource === "customresourcedefinitions",
      );
      if (!beta) return { item };
      const { object } = await reads.cluster.get(beta, { name: item.metadata.name }, scope);
      return { item: object };
    },
  };
}

function needsBeta(definition: KubernetesObject): boolean {
  const spec = fieldsOf(definition["spec"]);
  const [first] = listOf(spec["versions"]);
  const hasNoSchema = first !== undefined && fieldsOf(first["schema"])["openAPIV3Schema"] === undefined;
  const conditions = listOf(fieldsOf(definition["status"])["conditions"]);
  return (
    hasNoSchema ||
    spec["preserveUnknownFields"] === true ||
    conditions.some(({ type }) => type === "NonStructuralSchema")
  );
}
