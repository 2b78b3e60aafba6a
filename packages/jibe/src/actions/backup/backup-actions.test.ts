import { labelValueFrom } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { object, type Parts, pod, serviceAccount } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { ClusterReads } from "../cluster-reads.ts";
import { clusterOf } from "../test/cluster-of.ts";
import { backupNamed, onBackup, scope } from "../test/execute.ts";
import { crdRemapVersion } from "./crd-remap-version.ts";
import { backupPod } from "./pod.ts";
import { backupPv } from "./pv.ts";
import { backupServiceAccount } from "./service-account.ts";

const claimVolume = (claimName: string) => ({ name: claimName, persistentVolumeClaim: { claimName } });

describe("the pod action", () => {
  const cases: Record<string, { spec: object; want: object[] }> = {
    "adds nothing to a pod without claims": { spec: { volumes: [{ name: "a", emptyDir: {} }] }, want: [] },
    "adds each claim": {
      spec: { volumes: [claimVolume("one"), { name: "x", hostPath: { path: "/" } }, claimVolume("two")] },
      want: [
        { groupResource: "persistentvolumeclaims", namespace: "shop", name: "one" },
        { groupResource: "persistentvolumeclaims", namespace: "shop", name: "two" },
      ],
    },
    "adds the priority class": {
      spec: { priorityClassName: "high" },
      want: [{ groupResource: "priorityclasses.scheduling.k8s.io", name: "high" }],
    },
    "ignores a claim without a name": { spec: { volumes: [claimVolume("")] }, want: [] },
    "bears volumes that are no list": { spec: { volumes: "broken" }, want: [] },
  };
  for (const [name, { spec, want }] of Object.entries(cases)) {
    test(name, async () => {
      const item = pod("web", { namespace: "shop", spec });
      expect(await onBackup(backupPod, item)).toEqual({ item, additionalItems: want });
    });
  }
});

const persistentVolumeClaim = (name: string, parts: Parts) => object("v1", "PersistentVolumeClaim", name, parts);

describe("the pv action", () => {
  const bound = (parts: object) =>
    persistentVolumeClaim("data", { namespace: "shop", status: { phase: "Bound" }, ...parts });
  const unchanged: Record<string, KubernetesObject> = {
    "leaves a pending claim alone": persistentVolumeClaim("data", {
      spec: { volumeName: "pv", selector: { matchLabels: { a: "b" } } },
      status: { phase: "Pending" },
    }),
    "leaves a lost claim alone": persistentVolumeClaim("data", {
      spec: { volumeName: "pv" },
      status: { phase: "Lost" },
    }),
    "leaves a claim without volume alone": bound({ spec: { dataSource: { kind: "X", name: "x" } } }),
  };
  for (const [name, item] of Object.entries(unchanged)) {
    test(name, async () => {
      const output = await onBackup(backupPv, item);
      expect(output.item).toBe(item);
      expect(output.additionalItems ?? []).toEqual([]);
    });
  }
  test("adds the volume and gives a clean claim back as it is", async () => {
    const item = bound({ spec: { volumeName: "pv-1", storageClassName: "fast" } });
    const output = await onBackup(backupPv, item);
    expect(output.item).toBe(item);
    expect(output.additionalItems).toEqual([{ groupResource: "persistentvolumes", name: "pv-1" }]);
  });
  const edits: Record<string, { parts: object; want: object }> = {
    "clears data sources": {
      parts: { spec: { volumeName: "pv", dataSource: { kind: "X" }, dataSourceRef: { kind: "X" } } },
      want: { spec: { volumeName: "pv" } },
    },
    "clears the selector of a claim that is provisioned": {
      parts: { spec: { volumeName: "pv", storageClassName: "fast", selector: { matchLabels: { a: "b" } } } },
      want: { spec: { volumeName: "pv", storageClassName: "fast" } },
    },
    "clears the selector of a claim of the default class": {
      parts: { spec: { volumeName: "pv", selector: { matchLabels: { a: "b" } } } },
      want: { spec: { volumeName: "pv" } },
    },
    "keeps the selector of a volume made by hand, without our labels": {
      parts: {
        spec: { volumeName: "pv", storageClassName: "", selector: { matchLabels: { a: "b", "velero.io/x": "y" } } },
      },
      want: { spec: { volumeName: "pv", storageClassName: "", selector: { matchLabels: { a: "b" } } } },
    },
    "removes labels of earlier runs": {
      parts: {
        labels: {
          app: "shop",
          "velero.io/restore-name": "r",
          "velero.io/volume-snapshot-name": "s",
          "velero.io/backup-name": "another",
          "backup.velero.io/must-include-additional-items": "true",
          "velero.io/exclude-from-backup": "false",
        },
        spec: { volumeName: "pv" },
      },
      want: { labels: { app: "shop", "velero.io/exclude-from-backup": "false" } },
    },
    "removes labels altogether when none is left": {
      parts: { labels: { "velero.io/restore-name": "r" }, spec: { volumeName: "pv" } },
      want: {},
    },
  };
  for (const [name, { parts, want }] of Object.entries(edits)) {
    test(name, async () => {
      const { item } = await onBackup(backupPv, bound(parts));
      expect(item).toEqual(bound({ spec: { volumeName: "pv" }, ...want }));
    });
  }
  test("keeps the label of this very backup, shortened or not", async () => {
    for (const backup of ["daily", "b".repeat(80)]) {
      const labels = { "velero.io/backup-name": labelValueFrom(backup) };
      const item = bound({ labels, spec: { volumeName: "pv" } });
      expect((await onBackup(backupPv, item, backupNamed(backup))).item).toBe(item);
    }
  });
  test("keeps numbers that JavaScript cannot hold", async () => {
    const item = bound({ spec: { volumeName: "pv", dataSource: {} } });
    item["big"] = JSON.rawJSON("9007199254740993");
    expect(JSON.stringify((await onBackup(backupPv, item)).item)).toContain('"big":9007199254740993');
  });
});

describe("the service account action", () => {
  const binding = (name: string, role: string, ...subjects: object[]) =>
    object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects,
    });
  const account = (namespace: string, name: string) => ({ kind: "ServiceAccount", namespace, name });
  const cluster = clusterOf([
    binding("b1", "r1", account("shop", "sa"), account("other", "sa")),
    binding("b2", "r1", account("shop", "sa")),
    binding("b3", "r2", account("shop", "else"), { kind: "User", name: "sa" }),
    binding("b4", "r3", account("other", "sa")),
    binding("b5", "r4"),
  ]);
  const action = backupServiceAccount(new ClusterReads(cluster, "velero"));
  const crb = (name: string) => ({ groupResource: "clusterrolebindings.rbac.authorization.k8s.io", name });
  const role = (name: string) => ({ groupResource: "clusterroles.rbac.authorization.k8s.io", name });
  const cases: Record<string, { item: KubernetesObject; want: object[] }> = {
    "adds bindings of the account and each role once": {
      item: serviceAccount("sa", { namespace: "shop" }),
      want: [crb("b1"), crb("b2"), role("r1")],
    },
    "tells accounts of other namespaces apart": {
      item: serviceAccount("sa", { namespace: "other" }),
      want: [crb("b1"), crb("b4"), role("r1"), role("r3")],
    },
    "adds nothing for an account without rights": { item: serviceAccount("none", { namespace: "shop" }), want: [] },
  };
  for (const [name, { item, want }] of Object.entries(cases)) {
    test(name, async () => expect(await onBackup(action, item)).toEqual({ item, additionalItems: want }));
  }
  test("lists the bindings once, also after many accounts", async () => {
    for (let index = 0; index < 20; index++) await onBackup(action, serviceAccount(`sa-${index}`));
    expect(cluster.calls).toEqual(["list clusterrolebindings"]);
  });
});

describe("the action that remaps definitions", () => {
  const definition = (apiVersion: string, parts: object = {}) =>
    object(apiVersion, "CustomResourceDefinition", "shops.example.com", parts as Record<string, unknown>);
  const schema = { openAPIV3Schema: { type: "object" } };
  const beta = definition("apiextensions.k8s.io/v1beta1", { spec: { version: "v1" } });
  const type = {
    group: "apiextensions.k8s.io",
    version: "v1beta1",
    resource: "customresourcedefinitions",
    kind: "CustomResourceDefinition",
    namespaced: false,
    verbs: [],
    shortNames: [],
    singular: "",
    subresources: [],
  };
  const run = (item: KubernetesObject, types = [type]) =>
    crdRemapVersion(new ClusterReads(clusterOf([beta], types), "velero")).execute(item, backupNamed("b"), scope);
  const remapped: Record<string, object> = {
    "a definition without schema": { spec: { versions: [{ name: "v1" }] } },
    "a definition with a schema that is not structural": {
      spec: { versions: [{ name: "v1", schema }] },
      status: { conditions: [{ type: "NonStructuralSchema", status: "True" }] },
    },
    "a definition that keeps unknown fields": {
      spec: { preserveUnknownFields: true, versions: [{ name: "v1", schema }] },
    },
  };
  for (const [name, parts] of Object.entries(remapped)) {
    const item = definition("apiextensions.k8s.io/v1", parts);
    test(`stores ${name} as v1beta1`, async () => expect((await run(item)).item).toEqual(beta));
    test(`leaves ${name} where v1beta1 is not served`, async () => expect((await run(item, [])).item).toBe(item));
  }
  test("leaves a proper definition alone without asking the cluster", async () => {
    const item = definition("apiextensions.k8s.io/v1", { spec: { versions: [{ name: "v1", schema }] } });
    expect((await run(item)).item).toBe(item);
  });
  test("leaves a definition of another version alone", async () => expect((await run(beta)).item).toBe(beta));
});
