import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { expect, test } from "vitest";
import type { InstallOptions } from "./install-options.ts";
import { installManifests } from "./manifests.ts";

const options: InstallOptions = {
  namespace: "backups",
  image: "example.io/jibe:1",
  replicas: 2,
  plugins: ["example.io/team/plugin:v1"],
  serverFlags: [],
  features: [],
  secretData: undefined,
  serviceAccountName: "velero",
  serviceAccountAnnotations: {},
  podAnnotations: {},
  podLabels: {},
  priorityClassName: "",
  clusterAdmin: false,
  resources: { cpuRequest: "1", memRequest: "1", cpuLimit: "1", memLimit: "1" },
};
const made = (changes: Partial<InstallOptions> = {}) => installManifests({ ...options, ...changes });
const one = (kind: string, objects: readonly KubernetesObject[] = made()) =>
  objects.find((object) => object.kind === kind);
interface Pods {
  readonly spec: { readonly template: { readonly spec: Record<string, unknown> & { containers: object[] } } };
}
const podOf = (changes: Partial<InstallOptions> = {}) =>
  (one("Deployment", made(changes)) as unknown as Pods).spec.template.spec;

test("every container is confined", () => {
  const { containers, ...pod } = podOf();
  expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } });
  const confined = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  };
  const all = [...containers, ...(pod["initContainers"] as object[])];
  expect(all).toHaveLength(2);
  for (const container of all) expect(container).toMatchObject({ securityContext: confined });
});

test("the server may delete nothing but our own resources", () => {
  const rules = made().flatMap((object) => (object["rules"] ?? []) as { verbs: string[]; apiGroups?: string[] }[]);
  const deleting = rules.filter(({ verbs }) => verbs.includes("delete") || verbs.includes("*"));
  expect(deleting).toEqual([{ apiGroups: ["velero.io"], resources: ["*"], verbs: ["*"] }]);
});

test("two servers contend for the lease, and only the port of metrics can be reached", () => {
  expect(one("Deployment")).toMatchObject({ spec: { replicas: 2 } });
  expect(one("Service")).toMatchObject({ metadata: { name: "jibe-metrics" }, spec: { ports: [{ name: "metrics" }] } });
  expect(one("NetworkPolicy")).toMatchObject({
    spec: { policyTypes: ["Ingress"], ingress: [{ ports: [{ port: "metrics", protocol: "TCP" }] }] },
  });
});

test("cluster-admin is bound only when it is asked for", () => {
  expect(one("ClusterRoleBinding")).toMatchObject({ roleRef: { name: "jibe-backups" } });
  expect(one("ClusterRoleBinding", made({ clusterAdmin: true }))).toMatchObject({ roleRef: { name: "cluster-admin" } });
});

test("several servers have a disruption budget, a single one must not block a drain", () => {
  expect(one("PodDisruptionBudget")).toMatchObject({ spec: { maxUnavailable: 1 } });
  expect(one("PodDisruptionBudget", made({ replicas: 1 }))).toBeUndefined();
});

test("credentials are mounted for the plugins of every large cloud, and absent without a file", () => {
  const [server] = podOf({ secretData: "aHVzaA==" }).containers as { env: { name: string; value: string }[] }[];
  const paths = server?.env.filter(({ value }) => value === "/credentials/cloud").map(({ name }) => name);
  expect(paths).toContain("GOOGLE_APPLICATION_CREDENTIALS");
  expect(JSON.stringify(made())).not.toContain("/credentials");
});
