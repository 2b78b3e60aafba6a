import { hasCode, type Scope } from "@jibe/base";
import type { KubeClient } from "@jibe/kube";
import { veleroTypes } from "../api/resource-types.ts";

/** A rule of RBAC, as a `SelfSubjectRulesReview` tells those that hold for whoever asks. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface NeededRight {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** What no server can work without, in its own namespace. What backups read and restores write is told by each run. */
const needed: readonly NeededRight[] = [
  ...Object.values(veleroTypes).map(({ group, resource }) => ({
    group,
    resource,
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
  })),
  { group: "coordination.k8s.io", resource: "leases", verbs: ["get", "create", "update"] },
  { group: "", resource: "secrets", verbs: ["get", "list", "create"] },
  { group: "", resource: "configmaps", verbs: ["get"] },
];

/** The rights that the rules do not give, each as `verb, verb resource.group`. */
export function missingRights(rules: readonly AccessRule[]): string[] {
  return needed.flatMap(({ group, resource, verbs }) => {
    const lacking = verbs.filter((verb) => !rules.some((rule) => gives(rule, { group, resource, verb })));
    return lacking.length > 0 ? [`${lacking.join(", ")} ${group ? `${resource}.${group}` : resource}`] : [];
  });
}

function gives(
  { verbs, apiGroups = [], resources = [], resourceNames = [] }: AccessRule,
  { group, resource, verb }: { readonly group: string; readonly resource: string; readonly verb: string },
): boolean {
  const has = (list: readonly string[], wanted: string) => list.includes("*") || list.includes(wanted);
  return resourceNames.length === 0 && has(verbs, verb) && has(apiGroups, group) && has(resources, resource);
}

const reviews = {
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectrulesreviews",
  kind: "SelfSubjectRulesReview",
  namespaced: false,
};

interface Review {
  readonly status?: { readonly resourceRules?: readonly AccessRule[]; readonly incomplete?: boolean };
}

/** Asks which rights the server lacks in its namespace. None are named where the cluster cannot tell all that it has. */
export async function findMissingRights(client: KubeClient, namespace: string, scope: Scope): Promise<string[]> {
  const object = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    metadata: { name: "" },
    spec: { namespace },
  };
  try {
    const { status } = (await client.create(reviews, { object }, scope)) as Review;
    return status?.resourceRules && !status.incomplete ? missingRights(status.resourceRules) : [];
  } catch (error) {
    if (hasCode(error, "PermissionDenied") || hasCode(error, "NotFound")) return []; // not everybody may ask
    throw error;
  }
}
