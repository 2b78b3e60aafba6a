import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@jibe/base";
import { expect, test } from "vitest";
import type { ApiContext } from "../api/context.ts";
import { strategyOf } from "../builtin/strategies.ts";
import { TypeNodes } from "../builtin/type-nodes.ts";
import { createFirstObjects } from "../lifecycle/bootstrap.ts";
import { listAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import { ProtoMessages } from "../protobuf/decode-message.ts";
import { Definitions } from "../registry/definitions.ts";
import { Registry } from "../registry/registry.ts";
import { Store } from "../storage/store.ts";
import { Audiences } from "../watch/audiences.ts";
import { ApiCluster } from "./api-cluster.ts";
import { startWorkloads } from "./start-workloads.ts";
import { volumeDirectories } from "./volume-directories.ts";

function context(): ApiContext {
  const definitions = new Definitions();
  let names = 0;
  return {
    store: new Store(),
    audiences: new Audiences(),
    registry: new Registry(),
    definitions,
    nodes: new TypeNodes(definitions),
    messages: new ProtoMessages(),
    clock: systemClock,
    strategyOf,
    newUid: randomUUID,
    nameSuffix: () => String(++names).padStart(5, "0"),
  };
}

function world() {
  const root = mkdtempSync(join(tmpdir(), "api-cluster-"));
  const api = context();
  createFirstObjects(api);
  const port = new ApiCluster(api);
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (message: string, fields?: unknown) => warnings.push([message, fields]) };
  const runner = startWorkloads({ port, clock: systemClock, directories: volumeDirectories(root) }, { log });
  return {
    port,
    warnings,
    async settled(): Promise<void> {
      for (let turns = 0; turns < 10_000; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (runner.isIdle) return;
      }
      throw new Error("the workloads do not settle");
    },
    [Symbol.dispose]: () => {
      runner[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const workload = (kind: string, apiVersion: string, spec: Record<string, unknown>) => ({
  apiVersion,
  kind,
  metadata: { name: kind.toLowerCase(), namespace: "default" },
  spec: {
    ...(kind === "Job" ? {} : { selector: { matchLabels: { app: kind } } }),
    template: {
      metadata: { labels: { app: kind } },
      spec: { containers: [{ name: "c", image: "i" }], ...(kind === "Job" ? { restartPolicy: "Never" } : {}) },
    },
    ...spec,
  },
});

test("workloads run on the sandbox's own API, and nothing is refused", async () => {
  using it = world();
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "standard", resources: { requests: { storage: "1Gi" } } },
  };
  it.port.create("deployments.apps", workload("Deployment", "apps/v1", { replicas: 2 }));
  it.port.create(
    "statefulsets.apps",
    workload("StatefulSet", "apps/v1", { replicas: 2, serviceName: "s", volumeClaimTemplates: [claim] }),
  );
  it.port.create("daemonsets.apps", workload("DaemonSet", "apps/v1", {}));
  it.port.create("jobs.batch", workload("Job", "batch/v1", { completions: 2 }));
  it.port.create("services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "default" },
    spec: { clusterIP: "None", selector: { app: "StatefulSet" }, ports: [{ port: 80 }] },
  });
  await it.settled();
  expect(it.warnings).toEqual([]);
  const status = (resource: Parameters<typeof it.port.get>[0], name: string) =>
    objectAt(it.port.get(resource, "default", name), "status");
  expect(status("deployments.apps", "deployment")).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
  expect(status("statefulsets.apps", "statefulset")).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 });
  expect(status("daemonsets.apps", "daemonset")).toMatchObject({ numberReady: 1 });
  expect(status("jobs.batch", "job")).toMatchObject({ succeeded: 2 });
  expect(it.port.list("persistentvolumeclaims", "default").map((one) => textAt(one, "status.phase"))).toEqual([
    "Bound",
    "Bound",
  ]);
  const [subset] = listAt(it.port.get("endpoints", "default", "s"), "subsets");
  expect(listAt(subset, "addresses")).toHaveLength(2);
  expect(it.port.list("pods", "default")).toHaveLength(7);
});

test("a rollout on the sandbox's own API ends with the new template", async () => {
  using it = world();
  it.port.create("deployments.apps", workload("Deployment", "apps/v1", { replicas: 3 }));
  await it.settled();
  const deployment = it.port.get("deployments.apps", "default", "deployment");
  if (!deployment) throw new Error("no deployment");
  const spec = structuredClone(objectAt(deployment, "spec"));
  const template = objectAt(spec, "template");
  const podSpec = { ...objectAt(template, "spec"), containers: [{ name: "c", image: "i:2" }] };
  it.port.update("deployments.apps", { ...deployment, spec: { ...spec, template: { ...template, spec: podSpec } } });
  await it.settled();
  expect(it.warnings).toEqual([]);
  expect(
    it.port
      .list("replicasets.apps", "default")
      .map((set) => numberAt(set, "spec.replicas"))
      .sort(),
  ).toEqual([0, 3]);
  expect(it.port.list("pods", "default").map((pod) => textAt(listAt(pod, "spec.containers")[0], "image"))).toEqual([
    "i:2",
    "i:2",
    "i:2",
  ]);
});
