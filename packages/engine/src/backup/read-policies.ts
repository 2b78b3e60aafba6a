import { messageOf } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { refusalOf } from "../policies/read-values.ts";
import { type PolicyConfigMap, type ResourcePolicies, resourcePoliciesFrom } from "../policies/resource-policies.ts";
import type { Read } from "./read.ts";

export interface PolicySources {
  readonly backup: Backup;
  /** The ConfigMap that `spec.resourcePolicy` names; absent when it names none. */
  readonly policyConfigMap?: Read<PolicyConfigMap> | undefined;
  /** The ConfigMap whose volume policies hold for every backup, by its name; absent when the server has none. */
  readonly globalPolicies?: { readonly name: string; readonly configMap: Read<PolicyConfigMap> } | undefined;
  readonly parseYaml: (text: string) => unknown;
}

export interface ReadPolicies {
  readonly policies?: ResourcePolicies;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** The policies of a backup: its own first, then for volumes those that the server has for all. */
export function readPolicies(sources: PolicySources): ReadPolicies {
  const own = ownPolicies(sources);
  const shared = globalPolicies(sources);
  const { policies: first } = own;
  const { policies: second } = shared;
  const policies: ResourcePolicies | undefined =
    first && second
      ? { ...first, volumeAction: (volume) => first.volumeAction(volume) ?? second.volumeAction(volume) }
      : (first ?? second);
  return {
    ...(policies ? { policies } : {}),
    errors: [...own.errors, ...shared.errors].map((error) => `invalid resource policies: ${error}`),
    warnings: shared.warnings,
  };
}

function ownPolicies({ backup, policyConfigMap, parseYaml }: PolicySources): Omit<ReadPolicies, "warnings"> {
  if (!policyConfigMap) return { errors: [] };
  const namespace = backup.metadata.namespace ?? "";
  if ("error" in policyConfigMap) {
    const name = `${namespace}/${backup.spec.resourcePolicy?.name}`;
    return { errors: [`fail to get ResourcePolicies ${name} ConfigMap: ${messageOf(policyConfigMap.error)}`] };
  }
  try {
    return { policies: resourcePoliciesFrom(policyConfigMap.value, parseYaml), errors: [] };
  } catch (error) {
    // Velero names the backup where it means the ConfigMap; tools look for its text, so ours has both
    const name = `${namespace}/${backup.metadata.name}: ${JSON.stringify(policyConfigMap.value.name)}`;
    return { errors: [refusalOf(name, error)] };
  }
}

function globalPolicies({ backup, globalPolicies: source, parseYaml }: PolicySources): ReadPolicies {
  if (!source) return { errors: [], warnings: [] };
  const { configMap } = source;
  const name = `${backup.metadata.namespace ?? ""}/${source.name}`;
  const failed = (verb: string, error: unknown) => ({
    errors: [`fail to ${verb} global backup volume policies ConfigMap ${name}: ${messageOf(error)}`],
    warnings: [],
  });
  if ("error" in configMap) return failed("get", configMap.error);
  try {
    const { volumeAction, includeExclude, filters } = resourcePoliciesFrom(configMap.value, parseYaml);
    const ignored = `of ConfigMap ${name} only the volume policies count; what it includes and excludes is ignored`;
    return { policies: { volumeAction }, errors: [], warnings: includeExclude || filters ? [ignored] : [] };
  } catch (error) {
    return failed("read", error);
  }
}
