import type { KubernetesObject, RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { configMap, object, serviceAccount } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { ClusterReads } from "../cluster-reads.ts";
import { clusterOf } from "../test/cluster-of.ts";
import { onRestore } from "../test/execute.ts";
import { changeImageName } from "./change-image-name.ts";
import { changeStorageClass } from "./change-storage-class.ts";
import { restoreSecret } from "./secret.ts";

const config = (plugin: string, data: Record<string, string>, name = "config", namespace = "velero") =>
  configMap(name, { namespace, labels: { "velero.io/plugin-config": "", [plugin]: "RestoreItemAction" }, data });
const on = (make: (reads: ClusterReads) => RestoreItemActionV1, ...objects: KubernetesObject[]) =>
  make(new ClusterReads(clusterOf(objects), "velero"));

describe("the storage class action", () => {
  const plugin = "velero.io/change-storage-class";
  const fast = object("storage.k8s.io/v1", "StorageClass", "fast");
  const claim = (storageClassName?: string) =>
    object("v1", "PersistentVolumeClaim", "data", { spec: { storageClassName } });
  const set = (...classes: (string | undefined)[]) =>
    object("apps/v1", "StatefulSet", "db", {
      spec: { volumeClaimTemplates: classes.map((storageClassName) => ({ spec: { storageClassName } })) },
    });
  const action = on(changeStorageClass, config(plugin, { slow: "fast", gone: "missing" }), fast);

  const cases: Record<string, { item: KubernetesObject; want?: KubernetesObject }> = {
    "replaces the class of a claim": { item: claim("slow"), want: claim("fast") },
    "leaves a class alone that is not in the table": { item: claim("other") },
    "leaves a claim without class alone": { item: claim() },
    "leaves the empty class alone": { item: claim("") },
    "replaces classes in the templates of a stateful set": {
      item: set("slow", "other", undefined),
      want: set("fast", "other", undefined),
    },
    "leaves a stateful set without templates alone": { item: object("apps/v1", "StatefulSet", "db", { spec: {} }) },
    "is not fooled by names of built-in properties": { item: claim("constructor") },
  };
  for (const [name, { item, want }] of Object.entries(cases)) {
    test(name, async () => {
      const output = await onRestore(action, item);
      if (want) expect(output.item).toEqual(want);
      else expect(output.item).toBe(item);
    });
  }
  test("refuses a class that does not exist", async () => {
    await expect(onRestore(action, claim("gone"))).rejects.toMatchObject({
      code: "NotFound",
      message: expect.stringContaining('"missing"'),
    });
  });
  test("does nothing without a table, or with one in another namespace", async () => {
    const elsewhere = on(changeStorageClass, config(plugin, { slow: "fast" }, "config", "default"), fast);
    const item = claim("slow");
    expect((await onRestore(elsewhere, item)).item).toBe(item);
  });
  test("refuses two tables and names them", async () => {
    const twice = on(changeStorageClass, config(plugin, {}, "one"), config(plugin, {}, "two"));
    await expect(onRestore(twice, claim("slow"))).rejects.toThrow("one, two");
  });
  test("reads the table once", async () => {
    const cluster = clusterOf([config(plugin, { slow: "fast" }), fast]);
    const counted = changeStorageClass(new ClusterReads(cluster, "velero"));
    for (let index = 0; index < 5; index++) await onRestore(counted, claim("slow"));
    expect(cluster.calls).toEqual(["list configmaps", "get storageclasses"]);
  });
});

describe("the image name action", () => {
  const plugin = "velero.io/change-image-name";
  const podSpec = (...images: string[]) => ({
    containers: images.map((image) => ({ name: "c", image })),
    initContainers: images.slice(0, 1).map((image) => ({ name: "i", image })),
  });
  const pod = (...images: string[]) => object("v1", "Pod", "p", { spec: podSpec(...images) });
  const deployment = (image: string) =>
    object("apps/v1", "Deployment", "d", { spec: { template: { spec: podSpec(image) } } });
  const cronJob = (image: string) =>
    object("batch/v1", "CronJob", "c", { spec: { jobTemplate: { spec: { template: { spec: podSpec(image) } } } } });
  const run = (item: KubernetesObject, data: Record<string, string>) =>
    onRestore(on(changeImageName, config(plugin, data)), item);

  const cases: Record<string, { item: KubernetesObject; data: Record<string, string>; want?: KubernetesObject }> = {
    "replaces a registry in a pod, init containers too": {
      item: pod("1.1.1.1:5000/abc:test", "other/x:1"),
      data: { case1: "1.1.1.1:5000,2.2.2.2:3000" },
      want: pod("2.2.2.2:3000/abc:test", "other/x:1"),
    },
    "replaces every occurrence, with spaces around the comma": {
      item: pod("a/a:a"),
      data: { x: " a , b " },
      want: pod("b/b:b"),
    },
    "reaches into templates": { item: deployment("a:1"), data: { x: "a:1,b:2" }, want: deployment("b:2") },
    "reaches into the templates of cron jobs": { item: cronJob("a:1"), data: { x: "a:1,b:2" }, want: cronJob("b:2") },
    "takes the first rule in the order of their keys": {
      item: pod("a:1"),
      data: { "2": "a,second", "1": "a,first" },
      want: pod("first:1"),
    },
    "takes a dollar sign as it is": { item: pod("a:1"), data: { x: "a,$&" }, want: pod("$&:1") },
    "leaves images alone that no rule matches": { item: pod("a:1"), data: { x: "z,y" } },
    "ignores rules without comma, without old or without new part": {
      item: pod("a:1"),
      data: { a: "a", b: "a,", c: ",b" },
    },
    "does nothing with an empty table": { item: pod("a:1"), data: {} },
  };
  for (const [name, { item, data, want }] of Object.entries(cases)) {
    test(name, async () => {
      const output = await run(item, data);
      if (want) expect(output.item).toEqual(want);
      else expect(output.item).toBe(item);
    });
  }
});

describe("the secret action", () => {
  const action = on(
    restoreSecret,
    serviceAccount("sa", { namespace: "shop" }),
    serviceAccount("else", { namespace: "x" }),
  );
  const token = (name: string, parts: object = {}) =>
    object("v1", "Secret", name, { namespace: "shop", type: "kubernetes.io/service-account-token", ...parts });

  test("leaves other secrets alone without asking the cluster", async () => {
    const item = object("v1", "Secret", "sa-token-1", { namespace: "shop", type: "Opaque", data: { token: "x" } });
    expect(await onRestore(action, item)).toEqual({ item });
  });
  test("skips a token that the cluster made for an account that exists", async () => {
    const item = token("sa-token-x7k2p");
    expect(await onRestore(action, item)).toEqual({ item, skipRestore: true });
  });
  test("restores a token that a person asked for without its content", async () => {
    const item = token("mine", {
      annotations: { "kubernetes.io/service-account.uid": "1", "kubernetes.io/service-account.name": "sa" },
      data: { token: "t", "ca.crt": "c", namespace: "n" },
    });
    const want = token("mine", {
      annotations: { "kubernetes.io/service-account.name": "sa" },
      data: { namespace: "n" },
    });
    expect(await onRestore(action, item)).toEqual({ item: want });
  });
  test("restores a token of an account that does not exist in its namespace", async () => {
    const item = token("else-token-1", { data: { token: "t", "ca.crt": "c" } });
    expect(await onRestore(action, item)).toEqual({ item: token("else-token-1") });
  });
});
