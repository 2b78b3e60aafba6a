import { describe, expect, test } from "vitest";
import { changed, template, workload, workloadsWorld } from "../../test/workloads-world.ts";
import { listAt, objectAt } from "../printing/read.ts";

describe("a daemon set", () => {
  test("runs one pod on the node and replaces it for a new template", async () => {
    using it = workloadsWorld();
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
