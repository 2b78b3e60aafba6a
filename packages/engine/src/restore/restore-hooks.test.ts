import { AppError } from "@jibe/base";
import type { ExecRestoreHook, KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { eventually, fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { pod } from "../../test/builders.ts";
import { type MemoryClusterOptions, memoryCluster } from "../../test/memory-cluster.ts";
import { hooksOfPod } from "./hook-spec.ts";
import { createRestoreHooks } from "./restore-hooks.ts";

const hook = (exec: Partial<ExecRestoreHook> = {}, name = "h1"): RestoreSpec => ({
  hooks: { resources: [{ name, postHooks: [{ exec: { command: ["/bin/true"], ...exec } }] }] },
});
const both = (first: RestoreSpec, second: RestoreSpec): RestoreSpec => ({
  hooks: { resources: [...(first.hooks?.resources ?? []), ...(second.hooks?.resources ?? [])] },
});
const status = (state: object, more: object = {}) => ({
  phase: "Running",
  containerStatuses: [{ name: "main", ...state }],
  ...more,
});
const running = status({ state: { running: {} } });
const starting = status({ state: { waiting: {} } });
const web = (state: object, metadata = {}): KubernetesObject => pod("shop/web", { status: state, metadata });

function world(spec: RestoreSpec, options: MemoryClusterOptions = {}) {
  const clock = fakeClock();
  const cluster = memoryCluster(options);
  const scope = testScope();
  const hooks = createRestoreHooks({ spec, ports: { cluster, clock }, maxWaitMs: 3_600_000 }, scope);
  const executed = () => cluster.calls.filter((call) => call.startsWith("exec"));
  return { clock, cluster, scope, hooks, executed };
}

describe("hooksOfPod", () => {
  test("an annotation wins over the spec; the first container is the default", () => {
    const annotations = {
      "post.hook.restore.velero.io/command": '["/bin/sh","-c","x"]',
      "post.hook.restore.velero.io/on-error": "Fail",
      "post.hook.restore.velero.io/exec-timeout": "5s",
      "post.hook.restore.velero.io/wait-timeout": "1m",
      "post.hook.restore.velero.io/wait-for-ready": "true",
    };
    expect(hooksOfPod(hook(), web(running, { annotations }))).toEqual([
      {
        name: "<from-annotation>",
        container: "main",
        command: ["/bin/sh", "-c", "x"],
        onError: "Fail",
        execTimeoutMs: 5000,
        waitTimeoutMs: 60_000,
        waitForReady: true,
      },
    ]);
    const plain = {
      "post.hook.restore.velero.io/command": "[not json",
      "post.hook.restore.velero.io/wait-timeout": "soon",
    };
    expect(hooksOfPod({}, web(running, { annotations: plain }))).toMatchObject([
      { command: ["[not json"], waitTimeoutMs: 0, execTimeoutMs: 30_000 },
    ]);
  });

  test("spec hooks apply by target namespace and labels", () => {
    const only = (more: object): RestoreSpec => ({
      hooks: { resources: [{ name: "h", postHooks: [{ exec: { command: ["x"] } }, { init: {} }], ...more }] },
    });
    const item = web(running, { labels: { app: "web" } });
    expect(hooksOfPod(only({}), item)).toHaveLength(1);
    expect(
      hooksOfPod(only({ includedNamespaces: ["shop"], labelSelector: { matchLabels: { app: "web" } } }), item),
    ).toHaveLength(1);
    expect(hooksOfPod(only({ excludedNamespaces: ["shop"] }), item)).toEqual([]);
    expect(hooksOfPod(only({ labelSelector: { matchLabels: { app: "db" } } }), item)).toEqual([]);
  });
});

describe("restore hooks", () => {
  test("run once their container runs, in order", async () => {
    const { cluster, hooks, scope, executed } = world(
      both(hook({ command: ["first"] }), hook({ command: ["second"] }, "h2")),
    );
    cluster.add(web(starting));
    hooks.start(web(starting));
    await eventually(() => cluster.calls.some((call) => call.startsWith("follow")));
    expect(executed()).toEqual([]);
    cluster.add(web(running));
    expect(await hooks.finish(scope)).toEqual({ status: { hooksAttempted: 2, hooksFailed: 0 }, errors: [] });
    expect(executed()).toEqual(["exec shop/web main first", "exec shop/web main second"]);
  });

  test("wait for readiness where one of the container's hooks asks for it", async () => {
    const { cluster, hooks, scope, executed } = world(hook({ waitForReady: true }));
    cluster.add(web(running));
    hooks.start(web(running));
    await eventually(() => cluster.calls.some((call) => call.startsWith("follow")));
    expect(executed()).toEqual([]);
    cluster.add(web(status({ ready: true, state: { running: {} } })));
    expect((await hooks.finish(scope)).status).toEqual({ hooksAttempted: 1, hooksFailed: 0 });
  });

  test("a failure counts; with Fail the rest of the pod's hooks do not run, otherwise they do", async () => {
    for (const [onError, ran] of [
      ["Fail", 1],
      ["Continue", 2],
      [undefined, 2],
    ] as const) {
      const spec = both(hook({ command: ["bad"], ...(onError ? { onError } : {}) }), hook({ command: ["good"] }, "h2"));
      const exec: MemoryClusterOptions["exec"] = ({ command }) => ({
        exitCode: command[0] === "bad" ? 3 : 0,
        stdout: "",
        stderr: "oops",
      });
      const { cluster, hooks, scope, executed } = world(spec, { exec });
      cluster.add(web(running));
      hooks.start(web(running));
      const { status: counts, errors } = await hooks.finish(scope);
      expect(executed()).toHaveLength(ran);
      expect(counts).toEqual({ hooksAttempted: 2, hooksFailed: 3 - ran });
      expect(errors[0]).toEqual({
        namespace: "shop",
        message: "hook h1 in container main failed to execute, err: command terminated with exit code 3: oops",
      });
    }
  });

  test("a command that cannot run is a failure of its hook", async () => {
    const fault = (call: string) => {
      if (call.startsWith("exec")) throw new AppError("DeadlineExceeded", "took longer than 30000 ms");
    };
    const { cluster, hooks, scope } = world(hook(), { fault });
    cluster.add(web(running));
    hooks.start(web(running));
    expect((await hooks.finish(scope)).errors).toMatchObject([
      { message: expect.stringContaining("took longer than 30000 ms") },
    ]);
  });

  test("a server that restarts while a pod is followed is no failure of its hooks", async () => {
    let follows = 0;
    const fault = (call: string) => {
      if (call.startsWith("follow") && ++follows < 3) throw new AppError("Unavailable", "connection refused");
    };
    const { cluster, clock, hooks, scope } = world(hook(), { fault });
    cluster.add(web(running));
    hooks.start(web(running));
    const finished = hooks.finish(scope);
    for (const _ of [1, 2]) {
      await clock.untilSleeping();
      await clock.advance(1000);
    }
    expect((await finished).status).toEqual({ hooksAttempted: 1, hooksFailed: 0 });
  });

  const hopeless: Record<
    string,
    { spec: RestoreSpec; change: (cluster: ReturnType<typeof memoryCluster>) => void; why: RegExp }
  > = {
    "a container that the pod lacks": {
      spec: hook({ container: "absent" }),
      change: () => {},
      why: /the pod has no such container/,
    },
    "a pod that ends": {
      spec: hook(),
      change: (cluster) => cluster.add(web(status({}, { phase: "Failed" }))),
      why: /the pod has ended as Failed/,
    },
    "a pod that is deleted": {
      spec: hook(),
      change: (cluster) => cluster.remove("pods", "web", "shop"),
      why: /the pod was deleted/,
    },
  };
  for (const [name, { spec, change, why }] of Object.entries(hopeless)) {
    test(`${name} is recorded, not waited for, and disturbs no other pod`, async () => {
      const { cluster, hooks, scope } = world(spec);
      const other = pod("shop/other", {
        status: running,
        metadata: { annotations: { "post.hook.restore.velero.io/command": "x" } },
      });
      cluster.add(web(starting), other);
      hooks.start(web(starting));
      hooks.start(other);
      change(cluster);
      const { status: counts, errors } = await hooks.finish(scope);
      expect(counts).toEqual({ hooksAttempted: 2, hooksFailed: 1 });
      expect(errors[0]?.message).toMatch(why);
      expect(cluster.calls).toContain("exec shop/other main x");
    });
  }

  for (const [name, waitTimeout, waitedMs] of [
    ["its own time", "1m", 60_000],
    ["the longest time", undefined, 3_600_000],
  ] as const) {
    test(`a container that never starts is given up after ${name}`, async () => {
      const { cluster, clock, hooks, scope } = world(hook(waitTimeout ? { waitTimeout } : {}));
      cluster.add(web(starting));
      hooks.start(web(starting));
      await eventually(() => clock.pendingTimers().length > 0);
      expect(clock.pendingTimers()).toEqual([waitedMs]);
      const finished = hooks.finish(scope);
      await clock.advance(waitedMs);
      const { errors } = await finished;
      expect(errors[0]?.message).toMatch(
        /^hook h1 in container main in pod shop\/web not executed: waiting for the containers of restored pods took longer/,
      );
    });
  }

  test("a failure that must not be ends its own pod's hooks and no other pod's", async () => {
    const exec: MemoryClusterOptions["exec"] = ({ pod: name }) => ({
      exitCode: name === "web" ? 1 : 0,
      stdout: "",
      stderr: "",
    });
    const spec = both(hook({ command: ["first"], onError: "Fail" }), hook({ command: ["second"] }, "h2"));
    const { cluster, hooks, scope, executed } = world(spec, { exec });
    const other = pod("shop/other", { status: running });
    cluster.add(web(running), other);
    hooks.start(web(running));
    hooks.start(other);
    expect((await hooks.finish(scope)).status).toEqual({ hooksAttempted: 4, hooksFailed: 2 });
    expect(executed().sort()).toEqual([
      "exec shop/other main first",
      "exec shop/other main second",
      "exec shop/web main first",
    ]);
  });

  test("a hook whose wait is over when its turn comes is not run any more", async () => {
    const spec = both(hook({ command: ["slow"], waitTimeout: "2m" }), hook({ waitTimeout: "1m" }, "h2"));
    const { cluster, clock, hooks, scope, executed } = world(spec, {
      exec: async () => {
        await clock.advance(90_000);
        return { exitCode: 0, stdout: "", stderr: "" };
      },
    });
    cluster.add(web(running));
    hooks.start(web(running));
    const { status: counts, errors } = await hooks.finish(scope);
    expect(counts).toEqual({ hooksAttempted: 2, hooksFailed: 1 });
    expect(errors).toEqual([{ namespace: "shop", message: "hook h2 in container main expired before executing" }]);
    expect(executed()).toEqual(["exec shop/web main slow"]);
  });

  test("being stopped ends every wait", async () => {
    const { cluster, hooks, scope } = world(hook());
    cluster.add(web(starting));
    hooks.start(web(starting));
    const finished = hooks.finish(scope);
    scope.abort(new Error("server stops"));
    await expect(finished).rejects.toThrow("server stops");
    await hooks[Symbol.asyncDispose]();
  });
});
