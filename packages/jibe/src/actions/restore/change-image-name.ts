import type { KubernetesObject, RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { edited, type Fields, fieldsOf, listOf, textOf } from "../object-fields.ts";

const resources = [
  "deployments",
  "statefulsets",
  "daemonsets",
  "replicasets",
  "replicationcontrollers",
  "jobs",
  "cronjobs",
  "pods",
];

/**
 * Replaces parts of image names by rules in a ConfigMap, each value `old,new`. The first rule that matches an image counts; the
 * rules are tried in the order of their keys.
 */
export function changeImageName(reads: ClusterReads): RestoreItemActionV1 {
  return {
    appliesTo: async () => ({ includedResources: resources }),
    execute: async ({ item }, scope) => {
      const rules = rulesFrom(await reads.pluginConfig("velero.io/change-image-name", "RestoreItemAction", scope));
      if (rules.length === 0) return { item };
      return {
        item: edited(item, (copy) => {
          const spec = podSpecOf(copy);
          for (const container of [...listOf(spec["containers"]), ...listOf(spec["initContainers"])]) {
            const image = textOf(container["image"]);
            const rule = rules.find(({ old }) => image.includes(old));
            if (rule) container["image"] = image.replaceAll(rule.old, () => rule.replacement);
          }
        }),
      };
    },
  };
}

interface Rule {
  readonly old: string;
  readonly replacement: string;
}

function rulesFrom(table: Readonly<Record<string, string>>): Rule[] {
  return Object.keys(table)
    .sort()
    .map((key) => table[key] ?? "")
    .filter((row) => row.includes(",") && !row.endsWith(","))
    .map((row) => ({ old: row.slice(0, row.indexOf(",")).trim(), replacement: row.slice(row.indexOf(",") + 1).trim() }))
    .filter(({ old }) => old !== "");
}

function podSpecOf(item: KubernetesObject): Fields {
  const spec = fieldsOf(item["spec"]);
  if (item.kind === "Pod") return spec;
  const owner = item.kind === "CronJob" ? fieldsOf(fieldsOf(spec["jobTemplate"])["spec"]) : spec;
  return fieldsOf(fieldsOf(owner["template"])["spec"]);
}
