import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneJson, silentLogger, systemClock } from "@jibe/base";
import { objectAt } from "../src/printing/read.ts";
import type { KubeObject, Resource } from "../src/workloads/cluster-port.ts";
import { startWorkloads } from "../src/workloads/start-workloads.ts";
import { volumeDirectories } from "../src/workloads/volume-directories.ts";
import { MemoryCluster } from "./memory-cluster.ts";

/** A cluster in memory with the controllers of the sandbox at work, and a folder for its volumes. */
export function workloadsWorld() {
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

export const template = (image = "a:1") => ({
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "c", image, ports: [{ name: "http", containerPort: 8080 }] }] },
});

/** A workload named `w` in the namespace `ns`. */
export const workload = (kind: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: kind === "Job" ? "batch/v1" : "apps/v1",
  kind,
  metadata: { name: "w", namespace: "ns" },
  spec: { ...(kind === "Job" ? {} : { selector: { matchLabels: { app: "x" } } }), template: template(), ...spec },
});

export const changed = (object: KubeObject, spec: Record<string, unknown>): KubeObject => ({
  ...cloneJson(object),
  spec: { ...objectAt(object, "spec"), ...spec },
});

export const claimTemplate = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "standard", resources: { requests: { storage: "1Gi" } } },
};
