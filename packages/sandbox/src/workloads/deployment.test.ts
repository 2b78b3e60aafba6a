import { cloneJson } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { changed, template, workload, workloadsWorld } from "../../test/workloads-world.ts";
import { listAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";

describe("a deployment", () => {
  test("gets a replica set and ready pods", async () => {
    using it = workloadsWorld();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 3 }));
    await it.settled();
    const deployment = it.one("deployments.apps", "w");
    expect(objectAt(deployment, "status")).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(listAt(deployment, "status.conditions").map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ["Available", "True", "MinimumReplicasAvailable"],
      ["Progressing", "True", "NewReplicaSetAvailable"],
    ]);
    expect(deployment.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    expect(it.pods().map((pod) => textAt(pod, "status.phase"))).toEqual(["Running", "Running", "Running"]);
    expect(new Set(it.pods().map((pod) => textAt(pod, "status.podIP"))).size).toBe(3);
    expect(it.pods().every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === "ReplicaSet")).toBe(true);
  });

  test("scales up and down", async () => {
    using it = workloadsWorld();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 1 }));
    await it.settled();
    it.port.update("deployments.apps", changed(it.one("deployments.apps", "w"), { replicas: 4 }));
    await it.settled();
    expect(it.pods()).toHaveLength(4);
    it.port.update("deployments.apps", changed(it.one("deployments.apps", "w"), { replicas: 0 }));
    await it.settled();
    expect(it.pods()).toHaveLength(0);
    expect(numberAt(it.one("deployments.apps", "w"), "status.observedGeneration")).toBe(3);
  });

  for (const strategy of ["RollingUpdate", "Recreate"]) {
    test(`rolls out a new template by ${strategy} and goes back`, async () => {
      using it = workloadsWorld();
      it.port.create("deployments.apps", workload("Deployment", { replicas: 2, strategy: { type: strategy } }));
      await it.settled();
      it.port.update("deployments.apps", changed(it.one("deployments.apps", "w"), { template: template("a:2") }));
      await it.settled();
      expect(it.pods().map((pod) => listAt(pod, "spec.containers")[0]?.["image"])).toEqual(["a:2", "a:2"]);
      expect(it.port.list("replicasets.apps", "ns").map((set) => numberAt(set, "spec.replicas"))).toEqual([0, 2]);
      expect(it.one("deployments.apps", "w").metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
      it.port.update("deployments.apps", changed(it.one("deployments.apps", "w"), { template: template("a:1") }));
      await it.settled();
      expect(it.port.list("replicasets.apps", "ns").map((set) => numberAt(set, "spec.replicas"))).toEqual([2, 0]);
      expect(it.one("deployments.apps", "w").metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
    });
  }

  test("hands its annotations on to its current replica set, with how many pods there may be", async () => {
    using it = workloadsWorld();
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } };
    it.port.create("deployments.apps", workload("Deployment", { replicas: 2, strategy }));
    await it.settled();
    const deployment = cloneJson(it.one("deployments.apps", "w"));
    const annotations = { ...deployment.metadata.annotations, "kubernetes.io/change-cause": "measured" };
    it.port.update("deployments.apps", { ...deployment, metadata: { ...deployment.metadata, annotations } });
    await it.settled();
    expect(it.port.list("replicasets.apps", "ns").map(({ metadata }) => metadata.annotations)).toEqual([
      {
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
        "deployment.kubernetes.io/revision": "1",
        "kubernetes.io/change-cause": "measured",
      },
    ]);
  });

  test("keeps no more history than it is asked for", async () => {
    using it = workloadsWorld();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ["a:2", "a:3", "a:4"]) {
      await it.settled();
      it.port.update("deployments.apps", changed(it.one("deployments.apps", "w"), { template: template(image) }));
    }
    await it.settled();
    expect(it.port.list("replicasets.apps", "ns")).toHaveLength(2);
  });

  test("takes its pods with it when it is deleted", async () => {
    using it = workloadsWorld();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
    await it.settled();
    it.port.delete("deployments.apps", { namespace: "ns", name: "w" });
    await it.settled();
    expect([...it.pods(), ...it.port.list("replicasets.apps", "ns")]).toEqual([]);
  });

  test("adopts the pods and the replica set that a restore left without owners", async () => {
    using source = workloadsWorld();
    source.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
    await source.settled();
    using it = workloadsWorld();
    const bare = ({ metadata, ...rest }: KubeObject): KubeObject => {
      const { ownerReferences: _, ...kept } = metadata;
      const { nodeName: _node, ...spec } = objectAt(rest, "spec");
      return { ...rest, metadata: kept, spec };
    };
    for (const pod of source.pods()) it.port.create("pods", bare(pod));
    for (const set of source.port.list("replicasets.apps", "ns")) it.port.create("replicasets.apps", bare(set));
    it.port.create("deployments.apps", bare(source.one("deployments.apps", "w")));
    await it.settled();
    expect(it.pods()).toHaveLength(2);
    expect(it.port.list("replicasets.apps", "ns")).toHaveLength(1);
    expect(it.pods().every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === "ReplicaSet")).toBe(true);
  });

  test("replaces a pod that someone deletes", async () => {
    using it = workloadsWorld();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 1 }));
    await it.settled();
    const before = it.pods()[0]?.metadata.name ?? "";
    it.port.delete("pods", { namespace: "ns", name: before });
    await it.settled();
    expect(it.pods()).toHaveLength(1);
    expect(it.pods()[0]?.metadata.name).not.toBe(before);
  });
});
