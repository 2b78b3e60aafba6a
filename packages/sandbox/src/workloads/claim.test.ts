import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { changed, claimTemplate, workloadsWorld } from "../../test/workloads-world.ts";
import { textAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";

const claim = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "ns", finalizers: ["kubernetes.io/pvc-protection"] },
  spec: { ...claimTemplate.spec, ...spec },
});

const podOfClaim: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns" },
  spec: { containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
};

const volume = (spec: Record<string, unknown>): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "v" },
  spec: { accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" }, ...spec },
});

describe("a claim", () => {
  test("frees its directory when it is deleted", async () => {
    using it = workloadsWorld();
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
    using it = workloadsWorld();
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
    using it = workloadsWorld();
    it.port.create("persistentvolumeclaims", claim("c"));
    it.port.create("pods", podOfClaim);
    await it.settled();
    it.port.delete("persistentvolumeclaims", { namespace: "ns", name: "c" });
    await it.settled();
    expect(it.one("persistentvolumeclaims", "c").metadata.deletionTimestamp).toBeTypeOf("string");
    it.port.delete("pods", { namespace: "ns", name: "p" });
    await it.settled();
    expect(it.port.get("persistentvolumeclaims", "ns", "c")).toBeUndefined();
  });

  test("of a class that is not ours waits for a volume, and its pod for it", async () => {
    using it = workloadsWorld();
    it.port.create("persistentvolumeclaims", claim("c", { storageClassName: "other" }));
    it.port.create("pods", podOfClaim);
    await it.settled();
    expect(textAt(it.one("persistentvolumeclaims", "c"), "status.phase")).toBe("Pending");
    expect(textAt(it.one("pods", "p"), "status.phase")).toBe("Pending");
    it.port.create("persistentvolumes", volume({ capacity: { storage: "2Gi" }, storageClassName: "other" }));
    await it.settled();
    expect(textAt(it.one("persistentvolumeclaims", "c"), "spec.volumeName")).toBe("v");
    expect(textAt(it.one("pods", "p"), "status.phase")).toBe("Running");
  });

  test("binds to the volume it names, as a restore makes them", async () => {
    using it = workloadsWorld();
    const named = { storageClassName: "standard", claimRef: { namespace: "ns", name: "c" } };
    it.port.create("persistentvolumes", volume({ capacity: { storage: "1Gi" }, ...named }));
    it.port.create("persistentvolumeclaims", claim("c", { volumeName: "v" }));
    await it.settled();
    expect(textAt(it.one("persistentvolumeclaims", "c"), "status.phase")).toBe("Bound");
    expect(textAt(it.one("persistentvolumes", "v", ""), "spec.claimRef.uid")).toBe(
      it.one("persistentvolumeclaims", "c").metadata.uid,
    );
  });
});
