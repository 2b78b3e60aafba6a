import { AppError } from "@jibe/base";
import type { Restore } from "@jibe/plugin-sdk/contracts";
import type { ParseYaml } from "../modifiers/parse-modifiers.ts";
import type { FilterPolicies } from "../policies/filter-policies.ts";
import type { PolicyDocument } from "../policies/policy-document.ts";
import { refusalOf } from "../policies/read-values.ts";
import { policyDocumentFrom } from "../policies/resource-policies.ts";

/** The filter policies that a Restore names; `undefined` when it names none. Fails with Velero's text. */
export function findFilterPolicies(
  { metadata, spec }: Restore,
  surroundings: {
    findConfigMap(name: string): { readonly data?: Readonly<Record<string, string>> } | undefined;
    readonly parseYaml: ParseYaml;
  },
): FilterPolicies | undefined {
  if (!spec.resourcePolicy) return undefined;
  const { kind, name } = spec.resourcePolicy;
  if (kind.toLowerCase() !== "configmap") {
    throw invalid(`invalid ResourcePolicy kind ${JSON.stringify(kind)}, only "configmap" is supported`);
  }
  const namespace = metadata.namespace ?? "";
  const where = `${namespace}/${name}`;
  const found = surroundings.findConfigMap(name);
  if (!found) throw invalid(`fail to get ResourcePolicies ${where} ConfigMap: ConfigMap "${name}" not found`);
  try {
    return filtersOf(policyDocumentFrom({ namespace, name, data: found.data ?? {} }, surroundings.parseYaml));
  } catch (error) {
    throw invalid(refusalOf(where, error));
  }
}

/** What else a document may hold is a backup's. */
function filtersOf({ volumePolicies, includeExclude, filters }: PolicyDocument): FilterPolicies {
  if (volumePolicies.length > 0) throw new AppError("InvalidArgument", "volumePolicies are not supported for restore");
  if (includeExclude) throw new AppError("InvalidArgument", "includeExcludePolicy is not supported for restore");
  return filters;
}

function invalid(message: string): AppError {
  return new AppError("InvalidArgument", `invalid restore resource policies: ${message}`);
}
