import type { KubernetesObject, RestoreItemActionV1, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { object } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { onRestore, scope } from "../test/execute.ts";
import { addPvcFromPod } from "./add-pvc-from-pod.ts";
import { restoreAdmissionWebhookConfiguration } from "./admission-webhook-configuration.ts";
import { restoreApiService } from "./apiservice.ts";
import { restoreCrdPreserveFields } from "./crd-preserve-fields.ts";
import { restoreJob } from "./job.ts";
import { restorePod } from "./pod.ts";
import { podVolumeRestore } from "./pod-volume-restore.ts";
import { restorePvc } from "./pvc.ts";
import { restoreClusterRoleBindings, restoreRoleBindings } from "./role-bindings.ts";
import { restoreServiceAccount } from "./service-account.ts";

interface Case {
  readonly item: KubernetesObject;
  /** The item afterwards; the very same when absent. */
  readonly want?: KubernetesObject;
  readonly spec?: RestoreSpec;
  readonly fromBackup?: KubernetesObject;
  readonly additionalItems?: readonly object[];
}

function table(subject: string, action: RestoreItemActionV1, cases: Record<string, Case>): void {
  describe(subject, () => {
    for (const [name, { item, want, additionalItems = [], ...more }] of Object.entries(cases)) {
      test(name, async () => {
        const output = await onRestore(action, item, more);
        if (want) expect(output.item).toEqual(want);
        else expect(output.item).toBe(item);
        expect(output.additionalItems ?? []).toEqual(additionalItems);
        expect(output.skipRestore ?? false).toBe(false);
      });
    }
  });
}

const job = (spec: unknown) => object("batch/v1", "Job", "job", { namespace: "shop", spec });
const uids = { "controller-uid": "1", "batch.kubernetes.io/controller-uid": "1" };
table("the job action", restoreJob, {
  "leaves a job without labels of a controller alone": {
    item: job({ template: { metadata: { labels: { a: "b" } } } }),
  },
  "removes the controller's UID from selector and template": {
    item: job({
      selector: { matchLabels: { ...uids, a: "b" } },
      template: { metadata: { labels: { ...uids, "job-name": "job" } } },
    }),
    want: job({ selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { "job-name": "job" } } } }),
  },
  "leaves no empty map behind": {
    item: job({ selector: { matchLabels: uids }, template: { metadata: { labels: uids } } }),
    want: job({ selector: {}, template: { metadata: {} } }),
  },
  "bears a job without spec": { item: object("batch/v1", "Job", "job") },
});

const pod = (spec: unknown, parts: object = {}) => object("v1", "Pod", "pod", { namespace: "shop", spec, ...parts });
table("the pod action", restorePod, {
  "leaves a pod alone that has nothing of the old cluster": { item: pod({ containers: [{ name: "c" }] }) },
  "clears node and priority": {
    item: pod({ nodeName: "n", priority: 7, nodeSelector: { a: "b" } }),
    want: pod({ nodeSelector: { a: "b" } }),
  },
  "drops token volumes and their mounts, in init containers too": {
    item: pod({
      serviceAccountName: "sa",
      volumes: [{ name: "sa-token-x1" }, { name: "data" }],
      containers: [{ name: "c", volumeMounts: [{ name: "sa-token-x1" }, { name: "data" }] }],
      initContainers: [{ name: "i", volumeMounts: [{ name: "sa-token-x1" }] }],
    }),
    want: pod({
      serviceAccountName: "sa",
      volumes: [{ name: "data" }],
      containers: [{ name: "c", volumeMounts: [{ name: "data" }] }],
      initContainers: [{ name: "i" }],
    }),
  },
  "keeps token volumes of another account": {
    item: pod({ serviceAccountName: "sa", volumes: [{ name: "other-token-x1" }], containers: [] }),
  },
  "asks for the priority class": {
    item: pod({ priorityClassName: "high", priority: 1000 }),
    want: pod({ priorityClassName: "high" }),
    additionalItems: [{ groupResource: "priorityclasses.scheduling.k8s.io", name: "high" }],
  },
});

table("the pod volume action", podVolumeRestore, {
  "leaves a pod without waiting containers alone": { item: pod({ initContainers: [{ name: "own" }] }) },
  "removes waiting containers of both names, wherever they are": {
    item: pod({ initContainers: [{ name: "restore-wait" }, { name: "own" }, { name: "restic-wait" }] }),
    want: pod({ initContainers: [{ name: "own" }] }),
  },
  "leaves no empty list behind": { item: pod({ initContainers: [{ name: "restore-wait" }] }), want: pod({}) },
});

table("the action that adds claims of a pod", addPvcFromPod, {
  "adds nothing without volumes": { item: pod({}) },
  "adds each claim, in the pod's original namespace": {
    item: pod({
      volumes: [
        { name: "a", persistentVolumeClaim: { claimName: "data" } },
        { name: "b", emptyDir: {} },
      ],
    }),
    spec: { namespaceMapping: { shop: "other" } },
    additionalItems: [{ groupResource: "persistentvolumeclaims", namespace: "shop", name: "data" }],
  },
});

const claim = (annotations: Record<string, string> | undefined, parts: object = {}) =>
  object("v1", "PersistentVolumeClaim", "data", { ...(annotations ? { annotations } : {}), ...parts });
table("the claim action", restorePvc, {
  "leaves a claim without annotations alone": { item: claim(undefined) },
  "removes annotations of binding, provisioning and earlier runs": {
    item: claim({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "volume.kubernetes.io/storage-provisioner": "p",
      "volume.beta.kubernetes.io/storage-provisioner": "p",
      "volume.kubernetes.io/selected-node": "n",
      "velero.io/volume-snapshot-name": "s",
      "velero.io/data-upload-name": "d",
      own: "kept",
    }),
    want: claim({ own: "kept" }),
  },
  "leaves no empty map behind": { item: claim({ "pv.kubernetes.io/bind-completed": "yes" }), want: claim(undefined) },
  "asks for the volume by the backup's copy, which still has its status": {
    item: claim(undefined, { spec: { volumeName: "pv" } }),
    fromBackup: claim(undefined, { spec: { volumeName: "pv" }, status: { phase: "Bound" } }),
    additionalItems: [{ groupResource: "persistentvolumes", name: "pv" }],
  },
  "asks for no volume when the claim was pending": {
    item: claim(undefined, { spec: { volumeName: "pv" } }),
    fromBackup: claim(undefined, { spec: { volumeName: "pv" }, status: { phase: "Pending" } }),
  },
});

const account = (secrets?: object[]) => object("v1", "ServiceAccount", "sa", secrets ? { secrets } : {});
table("the service account action", restoreServiceAccount, {
  "leaves an account without secrets alone": { item: account() },
  "leaves secrets alone that are not its tokens": { item: account([{ name: "sa-dockercfg" }, { name: "x-token-1" }]) },
  "removes one reference to its token, the last": {
    item: account([{ name: "sa-token-1" }, { name: "other" }, { name: "sa-token-2" }]),
    want: account([{ name: "sa-token-1" }, { name: "other" }]),
  },
  "leaves no empty list behind": { item: account([{ name: "sa-token-1" }]), want: account() },
});

const binding = (kind: string, ...subjects: object[]) =>
  object("rbac.authorization.k8s.io/v1", kind, "binding", { subjects });
const namespaceMapping = { shop: "new-shop", unused: "x" };
for (const [kind, action] of [
  ["RoleBinding", restoreRoleBindings],
  ["ClusterRoleBinding", restoreClusterRoleBindings],
] as const) {
  const subject = { kind: "ServiceAccount", name: "sa", namespace: "shop" };
  table(`the action for a ${kind}`, action, {
    "leaves subjects alone without a mapping": { item: binding(kind, subject) },
    "leaves subjects of other namespaces and without one alone": {
      item: binding(kind, { ...subject, namespace: "else" }, { kind: "User", name: "shop" }),
      spec: { namespaceMapping },
    },
    "moves subjects along": {
      item: binding(kind, subject, { kind: "User", name: "u" }),
      want: binding(kind, { ...subject, namespace: "new-shop" }, { kind: "User", name: "u" }),
      spec: { namespaceMapping },
    },
    "is not fooled by names of built-in properties": {
      item: binding(kind, { ...subject, namespace: "constructor" }),
      spec: { namespaceMapping },
    },
  });
}

const webhooks = (apiVersion: string, ...sideEffects: (string | undefined)[]) =>
  object(apiVersion, "MutatingWebhookConfiguration", "hooks", {
    webhooks: sideEffects.map((value, index) => ({ name: `w${index}`, ...(value ? { sideEffects: value } : {}) })),
  });
table("the webhook configuration action", restoreAdmissionWebhookConfiguration, {
  "leaves what v1 allows": { item: webhooks("admissionregistration.k8s.io/v1", "None", "NoneOnDryRun") },
  "replaces what v1 does not allow, and what is missing": {
    item: webhooks("admissionregistration.k8s.io/v1", "Unknown", "Some", undefined, "NoneOnDryRun"),
    want: webhooks("admissionregistration.k8s.io/v1", "None", "None", "None", "NoneOnDryRun"),
  },
  "leaves other versions alone": { item: webhooks("admissionregistration.k8s.io/v1beta1", "Unknown") },
  "bears a configuration without webhooks": {
    item: object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "none"),
  },
});

const definition = (apiVersion: string, spec: object) =>
  object(apiVersion, "CustomResourceDefinition", "shops.example.com", { spec });
const v1 = "apiextensions.k8s.io/v1";
table("the action for definitions that keep unknown fields", restoreCrdPreserveFields, {
  "leaves a definition alone that does not": { item: definition(v1, { versions: [{ name: "v1", schema: {} }] }) },
  "leaves v1beta1 alone": { item: definition("apiextensions.k8s.io/v1beta1", { preserveUnknownFields: true }) },
  "says so in the schema of each version that has one": {
    item: definition(v1, {
      preserveUnknownFields: true,
      versions: [
        { name: "v1", schema: { openAPIV3Schema: { type: "object" } } },
        { name: "v2", schema: {} },
      ],
    }),
    want: definition(v1, {
      versions: [
        { name: "v1", schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
        { name: "v2", schema: {} },
      ],
    }),
  },
});

test("the API service action skips what the API server makes itself", async () => {
  expect(await restoreApiService.appliesTo(scope)).toEqual({
    includedResources: ["apiservices"],
    labelSelector: "kube-aggregator.kubernetes.io/automanaged",
  });
  const item = object("apiregistration.k8s.io/v1", "APIService", "v1.apps");
  expect(await onRestore(restoreApiService, item)).toEqual({ item, skipRestore: true });
});
