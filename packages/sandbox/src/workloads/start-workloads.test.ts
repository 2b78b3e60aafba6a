import { silentLogger, systemClock } from "@jibe/base";
import { expect, test } from "vitest";
import { workload, workloadsWorld } from "../../test/workloads-world.ts";
import { textAt } from "../printing/read.ts";
import { startWorkloads } from "./start-workloads.ts";
import { volumeDirectories } from "./volume-directories.ts";

test("the node and the default class are there from the start", () => {
  using it = workloadsWorld();
  expect(textAt(it.one("nodes", "sandbox", ""), "metadata.name")).toBe("sandbox");
  expect(it.one("storageclasses.storage.k8s.io", "standard", "").metadata.annotations).toEqual({
    "storageclass.kubernetes.io/is-default-class": "true",
  });
});

test("nothing changes once everything is as it should be", async () => {
  using it = workloadsWorld();
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
