import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { pod } from "../../test/builders.ts";
import { manualClock } from "../../test/manual-clock.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { discoveryOf } from "../../test/memory-types.ts";
import { ExecHooks, resourceHooks } from "./exec-hooks.ts";

test("a hook that takes longer than its time is a failure that says so", async () => {
  using scope = testScope();
  const clock = manualClock();
  const cluster = memoryCluster({ exec: () => new Promise(() => {}) });
  const specs = [{ name: "h", pre: [{ exec: { command: ["x"], timeout: "1m30s", onError: "Fail" as const } }] }];
  const hooks = new ExecHooks({ cluster, clock, hooks: resourceHooks(specs, discoveryOf([])) });
  const running = hooks.run(pod("a/one"), "pre", scope);
  await clock.advance(90_000);
  expect(await running).toMatchObject({ message: "timed out after 1m30s" });
  expect([hooks.attempted, hooks.failed]).toEqual([1, 1]);
  expect(scope.lines.at(-1)).toMatchObject({
    level: "error",
    message: "Error executing hook",
    fields: { error: "timed out after 1m30s", hookSource: "spec", hookType: "exec", hookPhase: "pre" },
  });
});

test("being stopped is no failure of the hook", async () => {
  using scope = testScope();
  const cluster = memoryCluster({ exec: () => new Promise(() => {}) });
  const specs = [{ name: "h", pre: [{ exec: { command: ["x"] } }] }];
  const hooks = new ExecHooks({ cluster, clock: manualClock(), hooks: resourceHooks(specs, discoveryOf([])) });
  const running = hooks.run(pod("a/one"), "pre", scope);
  scope.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  expect(hooks.failed).toBe(0);
});
