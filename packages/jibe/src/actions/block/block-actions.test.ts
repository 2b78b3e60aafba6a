import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { pod, pvc, serviceAccount } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { ClusterReads } from "../cluster-reads.ts";
import { clusterOf } from "../test/cluster-of.ts";
import { backupNamed, scope } from "../test/execute.ts";
import { blockPod } from "./pod.ts";
import { blockPvc } from "./pvc.ts";
import { blockServiceAccount } from "./service-account.ts";

const mounting = (name: string, claimName: string, phase: string, namespace = "shop") =>
  pod(name, { namespace, spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] }, status: { phase } });
const claim = (name: string, parts: object = {}) =>
  pvc(name, {
    namespace: "shop",
    spec: { volumeName: `pv-${name}` },
    status: { phase: "Bound" },
    ...parts,
  });
const inGroup = { labels: { group: "db" } };

describe("the block action for claims", () => {
  const cluster = clusterOf([
    mounting("web-1", "data", "Running"),
    mounting("web-2", "data", "Running"),
    mounting("done", "data", "Succeeded"),
    mounting("other", "logs", "Running"),
    mounting("far", "data", "Running", "elsewhere"),
    claim("data", inGroup),
    claim("logs", inGroup),
    claim("alone"),
  ]);
  const action = blockPvc(new ClusterReads(cluster, "velero"));
  const related = (item: KubernetesObject, key?: string) =>
    action.getRelatedItems(
      item,
      backupNamed("b", key === undefined ? {} : { volumeGroupSnapshotLabelKey: key }),
      scope,
    );

  test("names the volume and the running pods that mount it", async () => {
    expect(await related(claim("data"))).toEqual([
      { groupResource: "persistentvolumes", name: "pv-data" },
      { groupResource: "pods", namespace: "shop", name: "web-1" },
      { groupResource: "pods", namespace: "shop", name: "web-2" },
    ]);
  });
  test("names the other claims of its volume group", async () => {
    expect((await related(claim("data", inGroup), "group")).slice(3)).toEqual([
      { groupResource: "persistentvolumeclaims", namespace: "shop", name: "logs" },
    ]);
  });
  test("has no group without a label, or without a key in the backup", async () => {
    expect(await related(claim("alone"), "group")).toHaveLength(1);
    expect(await related(claim("data", inGroup))).toHaveLength(3);
  });
  test("names nothing for a claim that is not bound", async () => {
    expect(await related(claim("data", { status: { phase: "Pending" } }))).toEqual([]);
  });
  test("lists the pods of a namespace once", () => {
    expect(cluster.calls.filter((call) => call === "list pods")).toHaveLength(1);
  });
});

test("the block action for pods names what a pod needs", async () => {
  const item = mounting("web", "data", "Running");
  expect(await blockPod.getRelatedItems(item, backupNamed("b"), scope)).toEqual([
    { groupResource: "persistentvolumeclaims", namespace: "shop", name: "data" },
  ]);
});

test("the block action for service accounts asks the cluster, and again after a failure", async () => {
  let failures = 1;
  const cluster = clusterOf([]);
  const flaky: typeof cluster = {
    ...cluster,
    async *listPages(...parts) {
      if (failures-- > 0) throw new Error("the connection broke");
      yield* cluster.listPages(...parts);
    },
  };
  const action = blockServiceAccount(new ClusterReads(flaky, "velero"));
  await expect(action.getRelatedItems(serviceAccount("a"), backupNamed("b"), scope)).rejects.toThrow("broke");
  expect(await action.getRelatedItems(serviceAccount("a"), backupNamed("b"), scope)).toEqual([]);
});
