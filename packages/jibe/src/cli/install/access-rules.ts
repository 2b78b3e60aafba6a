import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { InstallOptions } from "./install-options.ts";
import { labels } from "./names.ts";

/** What discovery asks; clusters that are shut tight do not give it to everybody. */
const discoveryPaths = ["/version", "/api", "/api/*", "/apis", "/apis/*"];

/**
 * The least rights that work: backups read everything; restores create and change everything, and hooks are run, which is to create
 * `pods/exec`. Only who has rights may grant them, so the rules for RBAC objects name `escalate` and `bind`. Nothing that users have can
 * be deleted.
 */
export function accessRules({ namespace, serviceAccountName, clusterAdmin }: InstallOptions): KubernetesObject[] {
  const subjects = [{ kind: "ServiceAccount", name: serviceAccountName, namespace }];
  const binding = (role: string) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `jibe-${namespace}`, labels },
    subjects,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  });
  if (clusterAdmin) return [binding("cluster-admin")];
  const name = `jibe-${namespace}`;
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name, labels },
      rules: [
        { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch", "create", "update", "patch"] },
        { apiGroups: ["velero.io"], resources: ["*"], verbs: ["*"] },
        {
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["roles", "clusterroles"],
          verbs: ["bind", "escalate"],
        },
        { nonResourceURLs: discoveryPaths, verbs: ["get"] },
      ],
    },
    binding(name),
  ];
}
