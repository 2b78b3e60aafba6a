import { AppError, type Scope } from "@jibe/base";
import type { KubernetesObject, RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { edited, type Fields, fieldsOf, listOf, textOf } from "../object-fields.ts";

const name = "velero.io/change-storage-class";

/** Replaces storage classes by a table in a ConfigMap, old name to new. The new class must exist. */
export function changeStorageClass(reads: ClusterReads): RestoreItemActionV1 {
  return {
    appliesTo: async () => ({ includedResources: ["persistentvolumeclaims", "persistentvolumes", "statefulsets"] }),
    execute: async ({ item }, scope) => {
      const table = await reads.pluginConfig(name, "RestoreItemAction", scope);
      const wanted = specsWithClass(item).map((spec) => newClass(spec, table));
      for (const replacement of new Set(wanted)) await checkExists(replacement, reads, scope);
      return {
        item: edited(item, (copy) => {
          for (const spec of specsWithClass(copy)) {
            const replacement = newClass(spec, table);
            if (replacement !== undefined) spec["storageClassName"] = replacement;
          }
        }),
      };
    },
  };
}

function specsWithClass(item: KubernetesObject): Fields[] {
  const spec = fieldsOf(item["spec"]);
  if (item.kind !== "StatefulSet") return [spec];
  return listOf(spec["volumeClaimTemplates"]).map((template) => fieldsOf(template["spec"]));
}

function newClass(spec: Fields, table: Readonly<Record<string, string>>): string | undefined {
  const current = textOf(spec["storageClassName"]);
  return current !== "" && Object.hasOwn(table, current) ? table[current] : undefined;
}

async function checkExists(storageClass: string | undefined, reads: ClusterReads, scope: Scope): Promise<void> {
  if (storageClass === undefined || (await reads.hasStorageClass(storageClass, scope))) return;
  throw new AppError(
    "NotFound",
    `storage class "${storageClass}", which the ConfigMap of ${name} names, does not exist`,
  );
}
