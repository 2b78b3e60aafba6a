import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneJson, silentLogger, systemClock } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { at, listAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import type { KubeObject, Resource } from "./cluster-port.ts";
import { MemoryCluster } from "./memory-cluster.ts";
import { startWorkloads } from "./start-workloads.ts";
import { volumeDirectories } from "./volume-directories.ts";

function world() {
  const root = mkdtempSync(join(tmpdir(), "workloads-"));
  const port = new MemoryCluster(() => systemClock.now());
  const start = () =>
    startWorkloads({ port, clock: systemClock, directories: volumeDirectories(root) }, { log: silentLogger });
  const runner = start();
  return {
    port,
    root,
    async settled(): Promise<void> {
      for (let turns = 0; turns < 10_000; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (runner.isIdle) return;
      }
      throw new Error("the workloads do not settle");
    },
    pods: () => port.list("pods", "ns"),
    one: (resource: Resource, name: string, namespace = "ns"): KubeObject => {
      const object = port.get(resource, namespace, name);
      if (!object) throw new Error(`no ${resource} ${name}`);
      return object;
    },
    [Symbol.dispose]: () => {
      runner[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const template = (image = "a:1") => ({
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "c", image, ports: [{ name: "http", containerPort: 8080 }] }] },
});

const workload = (kind: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: kind === "Job" ? "batch/v1" : "apps/v1",
  kind,
  metadata: { name: "w", namespace: "ns" },
  spec: { ...(kind === "Job" ? {} : { selector: { matchLabels: { app: "x" } } }), template: template(), ...spec },
});

const changed = (object: KubeObject, spec: Record<string, unknown>): KubeObject => ({
  ...cloneJson(object),
  spec: { ...objectAt(object, "spec"), ...spec },
});

describe("a deployment", () => {
  test("gets a replica set and ready pods", async () => {
    using it = world();
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
    using it = world();
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
      using it = world();
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
    using it = world();
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
    using it = world();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ["a:2", "a:3", "a:4"]) {
      await it.settled();
      it.port.update("deployments.apps", changed(it.one("deployments.apps", "w"), { template: template(image) }));
    }
    await it.settled();
    expect(it.port.list("replicasets.apps", "ns")).toHaveLength(2);
  });

  test("takes its pods with it when it is deleted", async () => {
    using it = world();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
    await it.settled();
    it.port.delete("deployments.apps", { namespace: "ns", name: "w" });
    await it.settled();
    expect([...it.pods(), ...it.port.list("replicasets.apps", "ns")]).toEqual([]);
  });

  test("adopts the pods and the replica set that a restore left without owners", async () => {
    using source = world();
    source.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
    await source.settled();
    using it = world();
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
    using it = world();
    it.port.create("deployments.apps", workload("Deployment", { replicas: 1 }));
    await it.settled();
    const before = it.pods()[0]?.metadata.name ?? "";
    it.port.delete("pods", { namespace: "ns", name: before });
    await it.settled();
    expect(it.pods()).toHaveLength(1);
    expect(it.pods()[0]?.metadata.name).not.toBe(before);
  });
});

const claimTemplate = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "standard", resources: { requests: { storage: "1Gi" } } },
};

describe("a stateful set", () => {
  test("names its pods in order and gives each its own claim and directory", async () => {
    using it = world();
    it.port.create(
      "statefulsets.apps",
      workload("StatefulSet", { replicas: 2, serviceName: "s", volumeClaimTemplates: [claimTemplate] }),
    );
    await it.settled();
    expect(it.pods().map(({ metadata }) => metadata.name)).toEqual(["w-0", "w-1"]);
    expect(objectAt(it.one("statefulsets.apps", "w"), "status")).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
    });
    for (const name of ["data-w-0", "data-w-1"]) {
      const claim = it.one("persistentvolumeclaims", name);
      expect(textAt(claim, "status.phase")).toBe("Bound");
      const volume = it.one("persistentvolumes", textAt(claim, "spec.volumeName"), "");
      expect(textAt(volume, "status.phase")).toBe("Bound");
      expect(existsSync(textAt(volume, "spec.local.path"))).toBe(true);
    }
    expect(listAt(it.one("pods", "w-1"), "spec.volumes")).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "data-w-1" } },
    ]);
  });

  test("scales down from the end and keeps the claims", async () => {
    using it = world();
    it.port.create(
      "statefulsets.apps",
      workload("StatefulSet", { replicas: 3, volumeClaimTemplates: [claimTemplate] }),
    );
    await it.settled();
    it.port.update("statefulsets.apps", changed(it.one("statefulsets.apps", "w"), { replicas: 1 }));
    await it.settled();
    expect(it.pods().map(({ metadata }) => metadata.name)).toEqual(["w-0"]);
    expect(it.port.list("persistentvolumeclaims", "ns")).toHaveLength(3);
  });

  test("rolls out a new template and says so in its revisions", async () => {
    using it = world();
    it.port.create("statefulsets.apps", workload("StatefulSet", { replicas: 2 }));
    await it.settled();
    const before = textAt(it.one("statefulsets.apps", "w"), "status.currentRevision");
    it.port.update("statefulsets.apps", changed(it.one("statefulsets.apps", "w"), { template: template("a:2") }));
    await it.settled();
    const set = it.one("statefulsets.apps", "w");
    expect(it.pods().map((pod) => listAt(pod, "spec.containers")[0]?.["image"])).toEqual(["a:2", "a:2"]);
    expect(textAt(set, "status.currentRevision")).toBe(textAt(set, "status.updateRevision"));
    expect(textAt(set, "status.currentRevision")).not.toBe(before);
    expect(it.port.list("controllerrevisions.apps", "ns").map((revision) => at(revision, "revision"))).toEqual([1, 2]);
  });
});

describe("a daemon set", () => {
  test("runs one pod on the node and replaces it for a new template", async () => {
    using it = world();
    it.port.create("daemonsets.apps", workload("DaemonSet"));
    await it.settled();
    expect(objectAt(it.one("daemonsets.apps", "w"), "status")).toMatchObject({
      desiredNumberScheduled: 1,
      numberReady: 1,
    });
    it.port.update("daemonsets.apps", changed(it.one("daemonsets.apps", "w"), { template: template("a:2") }));
    await it.settled();
    expect(it.pods().map((pod) => listAt(pod, "spec.containers")[0]?.["image"])).toEqual(["a:2"]);
    expect(objectAt(it.one("daemonsets.apps", "w"), "status")).toMatchObject({
      updatedNumberScheduled: 1,
      numberReady: 1,
      observedGeneration: 2,
    });
  });
});

describe("a job", () => {
  test("completes", async () => {
    using it = world();
    it.port.create("jobs.batch", workload("Job", { completions: 3, parallelism: 2 }));
    await it.settled();
    const job = it.one("jobs.batch", "w");
    expect(objectAt(job, "status")).toMatchObject({ succeeded: 3, ready: 0 });
    expect(listAt(job, "status.conditions").map(({ type }) => type)).toEqual(["SuccessCriteriaMet", "Complete"]);
    expect(it.pods().map((pod) => textAt(pod, "status.phase"))).toEqual(["Succeeded", "Succeeded", "Succeeded"]);
  });

  test("waits while it is suspended", async () => {
    using it = world();
    it.port.create("jobs.batch", workload("Job", { suspend: true }));
    await it.settled();
    expect(it.pods()).toEqual([]);
    it.port.update("jobs.batch", changed(it.one("jobs.batch", "w"), { suspend: false }));
    await it.settled();
    expect(textAt(it.pods()[0], "status.phase")).toBe("Succeeded");
  });

  test("numbers the pods of an indexed job", async () => {
    using it = world();
    it.port.create("jobs.batch", workload("Job", { completions: 3, parallelism: 3, completionMode: "Indexed" }));
    await it.settled();
    expect(textAt(it.one("jobs.batch", "w"), "status.completedIndexes")).toBe("0-2");
  });
});

const claim = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "ns", finalizers: ["kubernetes.io/pvc-protection"] },
  spec: { ...claimTemplate.spec, ...spec },
});

describe("a claim", () => {
  test("frees its directory when it is deleted", async () => {
    using it = world();
    it.port.create("persistentvolumeclaims", claim("c"));
    await it.settled();
    const path = textAt(it.port.list("persistentvolumes")[0], "spec.local.path");
    expect(existsSync(path)).toBe(true);
    it.port.delete("persistentvolumeclaims", { namespace: "ns", name: "c" });
    await it.settled();
    expect(it.port.list("persistentvolumeclaims")).toEqual([]);
    expect(it.port.list("persistentvolumes")).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  test("leaves a volume that is to be kept released, with its bytes", async () => {
    using it = world();
    it.port.create("persistentvolumeclaims", claim("c"));
    await it.settled();
    const volume = it.port.list("persistentvolumes")[0];
    if (!volume) throw new Error("no volume");
    it.port.update("persistentvolumes", changed(volume, { persistentVolumeReclaimPolicy: "Retain" }));
    it.port.delete("persistentvolumeclaims", { namespace: "ns", name: "c" });
    await it.settled();
    const kept = it.one("persistentvolumes", volume.metadata.name, "");
    expect(textAt(kept, "status.phase")).toBe("Released");
    expect(existsSync(textAt(kept, "spec.local.path"))).toBe(true);
  });

  test("is held while a pod uses it", async () => {
    using it = world();
    it.port.create("persistentvolumeclaims", claim("c"));
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
    it.port.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "ns" },
      spec: { containers: [], volumes },
    });
    await it.settled();
    it.port.delete("persistentvolumeclaims", { namespace: "ns", name: "c" });
    await it.settled();
    expect(it.one("persistentvolumeclaims", "c").metadata.deletionTimestamp).toBeTypeOf("string");
    it.port.delete("pods", { namespace: "ns", name: "p" });
    await it.settled();
    expect(it.port.get("persistentvolumeclaims", "ns", "c")).toBeUndefined();
  });

  test("of a class that is not ours waits for a volume, and its pod for it", async () => {
    using it = world();
    it.port.create("persistentvolumeclaims", claim("c", { storageClassName: "other" }));
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
    it.port.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "ns" },
      spec: { containers: [], volumes },
    });
    await it.settled();
    expect(textAt(it.one("persistentvolumeclaims", "c"), "status.phase")).toBe("Pending");
    expect(textAt(it.one("pods", "p"), "status.phase")).toBe("Pending");
    it.port.create("persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "v" },
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "other",
        hostPath: { path: "/x" },
      },
    });
    await it.settled();
    expect(textAt(it.one("persistentvolumeclaims", "c"), "spec.volumeName")).toBe("v");
    expect(textAt(it.one("pods", "p"), "status.phase")).toBe("Running");
  });

  test("binds to the volume it names, as a restore makes them", async () => {
    using it = world();
    it.port.create("persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "v" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        hostPath: { path: "/x" },
        claimRef: { namespace: "ns", name: "c" },
      },
    });
    it.port.create("persistentvolumeclaims", claim("c", { volumeName: "v" }));
    await it.settled();
    expect(textAt(it.one("persistentvolumeclaims", "c"), "status.phase")).toBe("Bound");
    expect(textAt(it.one("persistentvolumes", "v", ""), "spec.claimRef.uid")).toBe(
      it.one("persistentvolumeclaims", "c").metadata.uid,
    );
  });
});

describe("a disruption budget", () => {
  const budget = (spec: object): KubeObject => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "ns" },
    spec: { selector: { matchLabels: { app: "x" } }, ...spec },
  });
  const cases: Record<string, { spec: object; allowed: number }> = {
    "that asks for a number allows the others": { spec: { minAvailable: 1 }, allowed: 2 },
    "that asks for a share rounds it up": { spec: { minAvailable: "50%" }, allowed: 1 },
    "that limits the missing allows as many": { spec: { maxUnavailable: 1 }, allowed: 1 },
    "that asks for more than there are allows none": { spec: { minAvailable: 5 }, allowed: 0 },
  };
  for (const [name, { spec, allowed }] of Object.entries(cases)) {
    test(name, async () => {
      using it = world();
      it.port.create("poddisruptionbudgets.policy", budget(spec));
      it.port.create("deployments.apps", workload("Deployment", { replicas: 3 }));
      await it.settled();
      expect(objectAt(it.one("poddisruptionbudgets.policy", "b"), "status")).toMatchObject({
        currentHealthy: 3,
        expectedPods: 3,
        disruptionsAllowed: allowed,
        conditions: [{ type: "DisruptionAllowed", status: allowed > 0 ? "True" : "False" }],
      });
    });
  }
});

test("a service lists the ready pods behind it", async () => {
  using it = world();
  it.port.create("services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "ns" },
    spec: { selector: { app: "x" }, ports: [{ name: "web", port: 80, targetPort: "http", protocol: "TCP" }] },
  });
  it.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
  await it.settled();
  const [subset] = listAt(it.one("endpoints", "s"), "subsets");
  expect(
    listAt(subset, "addresses")
      .map(({ ip }) => ip)
      .sort(),
  ).toEqual(
    it
      .pods()
      .map((pod) => textAt(pod, "status.podIP"))
      .sort(),
  );
  expect(listAt(subset, "ports")).toEqual([{ name: "web", port: 8080, protocol: "TCP" }]);
  const [slice] = it.port.list("endpointslices.discovery.k8s.io", "ns");
  expect(slice?.metadata.labels?.["kubernetes.io/service-name"]).toBe("s");
  expect(listAt(slice, "endpoints")).toHaveLength(2);
  it.port.delete("services", { namespace: "ns", name: "s" });
  await it.settled();
  expect([...it.port.list("endpoints", "ns"), ...it.port.list("endpointslices.discovery.k8s.io", "ns")]).toEqual([]);
});

test("the node and the default class are there from the start", () => {
  using it = world();
  expect(textAt(it.one("nodes", "sandbox", ""), "metadata.name")).toBe("sandbox");
  expect(it.one("storageclasses.storage.k8s.io", "standard", "").metadata.annotations).toEqual({
    "storageclass.kubernetes.io/is-default-class": "true",
  });
});

test("nothing changes once everything is as it should be", async () => {
  using it = world();
  it.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
  it.port.create("statefulsets.apps", {
    ...workload("StatefulSet", { replicas: 1 }),
    metadata: { name: "s", namespace: "other" },
  });
  await it.settled();
  let changes = 0;
  using _counting = it.port.listen(() => changes++);
  using again = startWorkloads(
    { port: it.port, clock: systemClock, directories: volumeDirectories(it.root) },
    { log: silentLogger },
  );
  while (!again.isIdle) await new Promise((resolve) => setImmediate(resolve));
  // A restart notes the node's state anew, and nothing else.
  expect(changes).toBeLessThanOrEqual(1);
});
