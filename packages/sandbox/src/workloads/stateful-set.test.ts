import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { changed, claimTemplate, template, workload, workloadsWorld } from "../../test/workloads-world.ts";
import { at, listAt, objectAt, textAt } from "../printing/read.ts";

describe("a stateful set", () => {
  test("names its pods in order and gives each its own claim and directory", async () => {
    using it = workloadsWorld();
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
    using it = workloadsWorld();
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
    using it = workloadsWorld();
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
