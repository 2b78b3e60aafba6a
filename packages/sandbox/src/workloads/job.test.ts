import { describe, expect, test } from "vitest";
import { changed, workload, workloadsWorld } from "../../test/workloads-world.ts";
import { listAt, objectAt, textAt } from "../printing/read.ts";

describe("a job", () => {
  test("completes", async () => {
    using it = workloadsWorld();
    it.port.create("jobs.batch", workload("Job", { completions: 3, parallelism: 2 }));
    await it.settled();
    const job = it.one("jobs.batch", "w");
    expect(objectAt(job, "status")).toMatchObject({ succeeded: 3, ready: 0 });
    expect(listAt(job, "status.conditions").map(({ type }) => type)).toEqual(["SuccessCriteriaMet", "Complete"]);
    expect(it.pods().map((pod) => textAt(pod, "status.phase"))).toEqual(["Succeeded", "Succeeded", "Succeeded"]);
  });

  test("waits while it is suspended", async () => {
    using it = workloadsWorld();
    it.port.create("jobs.batch", workload("Job", { suspend: true }));
    await it.settled();
    expect(it.pods()).toEqual([]);
    it.port.update("jobs.batch", changed(it.one("jobs.batch", "w"), { suspend: false }));
    await it.settled();
    expect(textAt(it.pods()[0], "status.phase")).toBe("Succeeded");
  });

  test("numbers the pods of an indexed job", async () => {
    using it = workloadsWorld();
    it.port.create("jobs.batch", workload("Job", { completions: 3, parallelism: 3, completionMode: "Indexed" }));
    await it.settled();
    expect(textAt(it.one("jobs.batch", "w"), "status.completedIndexes")).toBe("0-2");
  });
});
