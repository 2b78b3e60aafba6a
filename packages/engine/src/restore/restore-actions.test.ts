import { AppError } from "@jibe/base";
import type { ResourceIdentifier, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { type FakeClock, fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, namespace, object, pod, volume } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld, type WorldOptions } from "../../test/restore-world.ts";

const secret = (place: string) => object("v1", "Secret", place);
const secretId = (name: string, space = "shop"): ResourceIdentifier => ({
  groupResource: "secrets",
  namespace: space,
  name,
});

async function run(options: WorldOptions) {
  using scope = testScope();
  const world = await restoreWorld(options, scope);
  return { ...world, ...(await world.run()) };
}

/** Moves the clock to the next sleep whenever somebody sleeps, until the work is done. */
async function driven<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const [nextMs] = clock.pendingSleeps();
    if (nextMs === undefined) await new Promise((resolve) => setImmediate(resolve));
    else await clock.advance(nextMs);
  }
  return finished;
}

describe("actions", () => {
  test("run in order on what the one before made; the backup's copy stays as it was", async () => {
    const seen: unknown[] = [];
    const step = (name: string) =>
      restoreAction(name, { includedResources: ["cm"] }, (item, { bodyFromBackup }) => {
        seen.push([name, item["data"], bodyFromBackup.object["data"], item["status"]]);
        return { item: { ...item, data: { ...(item["data"] as object), [name]: "1" } } };
      });
    const world = await run({
      backedUp: [{ ...configMap("shop/x"), status: { s: 1 } }],
      actions: [step("a/a"), step("b/b")],
    });
    expect(seen).toEqual([
      ["a/a", { key: "value" }, { key: "value" }, undefined],
      ["b/b", { key: "value", "a/a": "1" }, { key: "value" }, undefined],
    ]);
    expect(world.cluster.read("configmaps", "x", "shop")?.["data"]).toEqual({ key: "value", "a/a": "1", "b/b": "1" });
  });

  const selectors: Record<string, { selector: Parameters<typeof restoreAction>[1]; want: string[] }> = {
    "everything without a selector": { selector: {}, want: ["pods ns-1/p", "pods ns-2/q", "pv v"] },
    "a type by its short name": { selector: { includedResources: ["po"] }, want: ["pods ns-1/p", "pods ns-2/q"] },
    "no type that is excluded": { selector: { excludedResources: ["pods"] }, want: ["pv v"] },
    "the target namespace, not cluster-scoped items": {
      selector: { includedNamespaces: ["mapped"] },
      want: ["pods ns-2/q"],
    },
    "items with the labels": { selector: { labelSelector: "a=b" }, want: ["pods ns-1/p"] },
    "nothing of a type nobody knows": { selector: { includedResources: ["unresolvable"] }, want: [] },
  };
  for (const [name, { selector, want }] of Object.entries(selectors)) {
    test(`see ${name}`, async () => {
      const seen: string[] = [];
      const action = restoreAction("x/y", selector, ({ kind, metadata }) => {
        seen.push(kind === "Pod" ? `pods ${metadata.namespace}/${metadata.name}` : `pv ${metadata.name}`);
        return {};
      });
      const retained = volume("v", "ns-1/c");
      await run({
        backedUp: [
          pod("ns-1/p", { metadata: { labels: { a: "b" } } }),
          pod("ns-2/q"),
          { ...retained, spec: { ...(retained["spec"] as object), persistentVolumeReclaimPolicy: "Retain" } },
        ],
        actions: [action],
        spec: { namespaceMapping: { "ns-2": "mapped" } },
      });
      expect(seen.sort()).toEqual(want);
    });
  }

  test("an action that fails, returns rubbish or takes the name away fails its item alone", async () => {
    const action = restoreAction("x/y", { includedResources: ["cm"] }, (item) => {
      if (item.metadata.name === "bad") throw new AppError("Unavailable", "plugin x/y died");
      return item.metadata.name === "nameless" ? { item: { ...item, metadata: {} as never } } : {};
    });
    const rubbish = {
      ...restoreAction("x/rubbish", { includedResources: ["cm"] }),
      execute: async (input: { body: { object: { metadata: { name: string } } } }) => ({
        body: {
          bytes: new Uint8Array(),
          get object(): never {
            throw new AppError("DataLoss", `item is not valid JSON (${input.body.object.metadata.name})`);
          },
        },
        additionalItems: [],
        skipRestore: false,
        operationId: "",
        waitForAdditionalItems: false,
        additionalItemsReadyTimeoutMs: 0,
      }),
    };
    const world = await run({
      backedUp: ["bad", "nameless", "good"].map((name) => configMap(`shop/${name}`)),
      actions: [action],
    });
    expect(world.results.errors).toEqual({
      namespaces: {
        shop: expect.arrayContaining([
          "error preparing configmaps/shop/bad: plugin x/y died",
          "error preparing configmaps/shop/nameless: the plugin returned an item without a name",
        ]),
      },
    });
    expect(world.cluster.read("configmaps", "good", "shop")).toBeDefined();
    const broken = await run({ backedUp: [configMap("shop/x"), secret("shop/s")], actions: [rubbish as never] });
    expect(broken.results.errors.namespaces?.["shop"]).toEqual([
      "error preparing configmaps/shop/x: item is not valid JSON (x)",
    ]);
    expect(broken.cluster.read("secrets", "s", "shop")).toBeDefined();
  });

  test("an action that cannot say what it wants ends the restore before anything is written", async () => {
    const action = {
      ...restoreAction("x/y", {}),
      appliesTo: async () => Promise.reject(new AppError("Unavailable", "plugin x/y died")),
    };
    const world = await run({ backedUp: [configMap("shop/x")], actions: [action] });
    expect(world.status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
    expect(world.results.errors).toEqual({ velero: ["plugin x/y died"] });
    expect(world.cluster.calls.filter((call) => call.startsWith("create"))).toEqual([]);
  });

  test("skipRestore ends the actions and drops additional items; its operation is kept", async () => {
    const skip = restoreAction("x/skip", { includedResources: ["cm"] }, () => ({
      skipRestore: true,
      operationId: "op-1",
      additionalItems: [secretId("s")],
      waitForAdditionalItems: true,
    }));
    const never = restoreAction("x/z", { includedResources: ["cm"] }, () => {
      throw new Error("must not run");
    });
    const world = await run({
      backedUp: [configMap("shop/x")],
      entries: {},
      actions: [skip, never],
      spec: { namespaceMapping: { shop: "target" } },
    });
    expect(world.ledger()).toEqual(["configmaps target/x skipped a plugin left it out", "namespaces target created"]);
    expect(world.operations).toMatchObject([
      {
        spec: {
          restoreName: "r1",
          restoreUID: "uid-of-r1",
          restoreItemAction: "x/skip",
          operationID: "op-1",
          resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: "target", Name: "x" },
        },
        status: { phase: "New" },
      },
    ]);
    expect(world.status).toMatchObject({ phase: "WaitingForPluginOperations", restoreItemOperationsAttempted: 1 });
    expect(JSON.parse(world.file("itemOperations"))).toHaveLength(1);
  });

  test("operations are asked about once; one that failed is an error", async () => {
    const start = (id: string) => () => ({ operationId: id });
    const done = restoreAction("x/done", { includedResources: ["cm"] }, start("a"), {
      progress: async () => ({ completed: true }),
    });
    const bad = restoreAction("x/bad", { includedResources: ["cm"] }, start("b"), {
      progress: async () => ({ completed: true, error: "disk full" }),
    });
    const world = await run({ backedUp: [configMap("shop/x")], actions: [done, bad] });
    expect(world.results.errors.velero).toEqual([
      expect.stringMatching(/^error from restore item operation: disk full/),
    ]);
    expect(world.status).toMatchObject({
      phase: "FinalizingPartiallyFailed",
      restoreItemOperationsAttempted: 2,
      restoreItemOperationsCompleted: 1,
      restoreItemOperationsFailed: 1,
    });
  });

  test("CSI actions run only when the feature is on", async () => {
    const seen: string[] = [];
    const action = restoreAction("velero.io/csi-pvc-restorer", {}, ({ metadata }) => {
      seen.push(metadata.name);
      return {};
    });
    await run({ backedUp: [configMap("shop/x")], actions: [action] });
    expect(seen).toEqual([]);
    await run({ backedUp: [configMap("shop/x")], actions: [action], settings: { enableCsi: true } });
    expect(seen).toEqual(["x"]);
  });
});

describe("additional items", () => {
  const asking = (...items: ResourceIdentifier[]) =>
    restoreAction("x/y", { includedResources: ["pods"] }, () => ({ additionalItems: items }));
  const cases: Record<string, { spec: RestoreSpec; asked: ResourceIdentifier; want: string[]; warnings?: object }> = {
    "come before their item": {
      spec: { includedResources: ["pods", "secrets"] },
      asked: secretId("s"),
      want: ["secrets shop/s", "pods shop/p", "secrets other/t"],
    },
    "that are of an excluded type are left out": {
      spec: { includedResources: ["pods"] },
      asked: secretId("s"),
      want: ["pods shop/p"],
    },
    "that are in an excluded namespace are left out": {
      spec: { includedNamespaces: ["shop"] },
      asked: secretId("t", "other"),
      want: ["pods shop/p", "secrets shop/s"],
    },
    "that are cluster-scoped are allowed with some namespaces": {
      spec: { includedNamespaces: ["shop"], excludedResources: ["secrets"] },
      asked: { groupResource: "clusterroles.rbac.authorization.k8s.io", name: "role" },
      want: ["clusterroles.rbac.authorization.k8s.io role", "pods shop/p"],
    },
    "that are cluster-scoped are left out on request": {
      spec: { includedNamespaces: ["shop"], excludedResources: ["secrets"], includeClusterResources: false },
      asked: { groupResource: "clusterroles.rbac.authorization.k8s.io", name: "role" },
      want: ["pods shop/p"],
    },
    "that the backup lacks are a warning": {
      spec: { includedResources: ["pods"] },
      asked: secretId("absent"),
      want: ["pods shop/p"],
      warnings: { namespaces: { shop: ["additional item secrets/shop/absent is not in the backup"] } },
    },
  };
  const backedUp = [
    pod("shop/p"),
    secret("shop/s"),
    secret("other/t"),
    object("rbac.authorization.k8s.io/v1", "ClusterRole", "role"),
  ];
  for (const [name, { spec, asked, want, warnings = {} }] of Object.entries(cases)) {
    test(name, async () => {
      const world = await run({
        backedUp,
        spec,
        actions: [asking(asked)],
        settings: { priorities: { high: ["pods"], low: [] } },
      });
      const created = world.cluster.calls
        .filter((call) => /^create (?!namespaces)/.test(call))
        .map((call) => call.slice(7));
      expect(created).toEqual(want);
      expect(world.results).toEqual({ errors: {}, warnings });
    });
  }

  test("pass the filters when their action says so, and the mark does not stay", async () => {
    const action = restoreAction("x/y", { includedResources: ["pods"] }, (item) => ({
      item: {
        ...item,
        metadata: {
          ...item.metadata,
          annotations: { "restore.velero.io/must-include-additional-items": "true", keep: "1" },
        },
      },
      additionalItems: [secretId("s")],
    }));
    const world = await run({ backedUp, spec: { includedResources: ["pods"] }, actions: [action] });
    expect(world.cluster.read("secrets", "s", "shop")).toBeDefined();
    expect(world.cluster.read("pods", "p", "shop")?.metadata.annotations).toEqual({ keep: "1" });
  });

  for (const concurrency of [1, 32]) {
    describe(`at concurrency ${concurrency}`, () => {
      const settings = { concurrency };
      const next = (pick: (name: string) => string | undefined) =>
        restoreAction("x/next", { includedResources: ["cm"] }, ({ metadata }) => {
          const name = pick(metadata.name);
          return name === undefined
            ? {}
            : { additionalItems: [{ groupResource: "configmaps", namespace: "shop", name }] };
        });

      test("a circle is no deadlock", async () => {
        const circle: Record<string, string> = { a: "b", b: "c", c: "a", d: "d" };
        const backedUp = Object.keys(circle).map((name) => configMap(`shop/${name}`));
        const world = await run({ backedUp, actions: [next((name) => circle[name])], settings });
        expect(world.status).toMatchObject({ errors: 0, warnings: 0, progress: { totalItems: 5, itemsRestored: 5 } });
      });

      test("a chain of 100 comes from its end", async () => {
        const backedUp = Array.from({ length: 100 }, (_, index) => configMap(`shop/${String(index).padStart(3, "0")}`));
        const world = await run({
          backedUp,
          actions: [next((name) => (name === "099" ? undefined : String(Number(name) + 1).padStart(3, "0")))],
          settings,
        });
        const created = world.cluster.calls
          .filter((call) => call.startsWith("create configmaps"))
          .map((call) => call.slice(-3));
        expect(created).toEqual(backedUp.map(({ metadata }) => metadata.name).reverse());
      });

      test("500 that ask for one restore it once, before all of them", async () => {
        const backedUp = [...Array.from({ length: 500 }, (_, index) => configMap(`shop/c${index}`)), secret("shop/s")];
        const action = restoreAction("x/y", { includedResources: ["cm"] }, () => ({
          additionalItems: [secretId("s")],
        }));
        const world = await run({
          backedUp,
          actions: [action],
          settings: { concurrency, priorities: { high: ["configmaps"], low: [] } },
        });
        const created = world.cluster.calls.filter((call) => call.startsWith("create"));
        expect(created.slice(0, 2)).toEqual(["create namespaces shop", "create secrets shop/s"]);
        expect(created).toHaveLength(502);
        expect(world.status.progress).toEqual({ totalItems: 502, itemsRestored: 502 });
      });

      test("500 that wait for readiness hold up nobody", async () => {
        using scope = testScope();
        const clock = fakeClock();
        let ready = false;
        const action = restoreAction(
          "x/wait",
          { includedResources: ["cm"] },
          () => ({ waitForAdditionalItems: true }),
          {
            areAdditionalItemsReady: async () => ready,
          },
        );
        const waiting = Array.from({ length: 500 }, (_, index) => configMap(`shop/w${index}`));
        const others = Array.from({ length: 50 }, (_, index) => secret(`shop/s${index}`));
        const world = await restoreWorld(
          {
            backedUp: [namespace("shop"), ...waiting, ...others],
            actions: [action],
            clock,
            settings: { concurrency, priorities: { high: [], low: [] } },
          },
          scope,
        );
        const running = world.run();
        await clock.untilSleeping(500);
        const created = () => world.cluster.calls.filter((call) => /^create (secrets|configmaps)/.test(call));
        while (created().length < 50) await new Promise((resolve) => setImmediate(resolve));
        expect(created().every((call) => call.startsWith("create secrets"))).toBe(true);
        ready = true;
        await clock.advance(1000);
        const { status } = await running;
        expect(status).toMatchObject({ errors: 0, progress: { itemsRestored: 551 } });
      });
    });
  }
});

describe("waiting for additional items", () => {
  interface Waiting {
    readonly answers: (call: number) => boolean | Error;
    readonly timeoutMs?: number;
    readonly settings?: WorldOptions["settings"];
  }
  async function wait({ answers, timeoutMs = 0, settings = {} }: Waiting) {
    using scope = testScope();
    const clock = fakeClock();
    const asked: { atMs: number; items: readonly ResourceIdentifier[] }[] = [];
    const action = restoreAction(
      "x/wait",
      { includedResources: ["pods"] },
      () => ({
        additionalItems: [secretId("s"), secretId("refused"), secretId("absent"), secretId("there")],
        waitForAdditionalItems: true,
        additionalItemsReadyTimeoutMs: timeoutMs,
      }),
      {
        areAdditionalItemsReady: async (items) => {
          asked.push({ atMs: clock.monotonicMs(), items });
          const answer = answers(asked.length);
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
    );
    const later = restoreAction("x/later", { includedResources: ["pods"] }, (item) => ({
      item: { ...item, metadata: { ...item.metadata, annotations: { later: String(clock.monotonicMs()) } } },
    }));
    const world = await restoreWorld(
      {
        backedUp: [pod("shop/p"), secret("shop/s"), secret("shop/refused"), secret("shop/there")],
        objects: [object("v1", "Namespace", "target"), { ...secret("target/there"), data: { other: "1" } }],
        actions: [action, later],
        clock,
        settings,
        spec: { namespaceMapping: { shop: "target" } },
        fault: (call) => {
          if (call === "create secrets target/refused") throw new AppError("InvalidArgument", "denied by webhook");
        },
      },
      scope,
    );
    const result = await driven(clock, world.run());
    const found = world.cluster.read("pods", "p", "target");
    const errors = (result.results.errors.namespaces?.["target"] ?? []).filter((text) =>
      text.includes("additional items"),
    );
    return { asked, errors, laterAtMs: Number(found?.metadata.annotations?.["later"]), world };
  }

  test("ready at once: one question, with what exists, under its original namespaces", async () => {
    const { asked, errors, laterAtMs } = await wait({ answers: () => true });
    expect(asked).toEqual([{ atMs: 0, items: [secretId("s"), secretId("there")] }]);
    expect([errors, laterAtMs]).toEqual([[], 0]);
  });

  test("ready later: asked after growing delays, and the next action waits too", async () => {
    const { asked, errors, laterAtMs } = await wait({ answers: (call) => call === 7 });
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 1000, 2500, 4750, 8125, 13_125, 18_125]);
    expect([errors, laterAtMs]).toEqual([[], 18_125]);
  });

  test("an error ends the wait and is recorded with the plugin's name; the item goes on", async () => {
    const { asked, errors, laterAtMs, world } = await wait({
      answers: (call) => (call === 2 ? new Error("boom") : false),
    });
    expect(asked).toHaveLength(2);
    expect(errors).toEqual(["error verifying additional items are ready to use: plugin x/wait: boom"]);
    expect(laterAtMs).toBe(1000);
    expect(world.ledger()).toContain("pods target/p created");
  });

  const timeouts: Record<string, { timeoutMs?: number; settings: WorldOptions["settings"]; want: number }> = {
    "its own": { timeoutMs: 3000, settings: { additionalItemsReadyTimeoutMs: 9000 }, want: 3000 },
    "the server's": { settings: { additionalItemsReadyTimeoutMs: 9000 }, want: 9000 },
    "the resource timeout": { settings: { resourceTimeoutMs: 7000 }, want: 7000 },
  };
  for (const [name, { timeoutMs = 0, settings, want }] of Object.entries(timeouts)) {
    test(`not ready within ${name}: asked once more at the end, recorded, and the item is created`, async () => {
      const { asked, errors, laterAtMs } = await wait({ answers: () => false, timeoutMs, settings: settings ?? {} });
      expect(asked.at(-1)?.atMs).toBe(want);
      expect(errors).toEqual([
        `error verifying additional items are ready to use: plugin x/wait: not ready within ${want / 1000}s`,
      ]);
      expect(laterAtMs).toBe(want);
    });
  }

  test("an empty list is asked about too", async () => {
    using scope = testScope();
    const asked: unknown[] = [];
    const action = restoreAction("x/wait", { includedResources: ["cm"] }, () => ({ waitForAdditionalItems: true }), {
      areAdditionalItemsReady: async (items) => {
        asked.push(items);
        return true;
      },
    });
    const world = await restoreWorld({ backedUp: [configMap("shop/x")], actions: [action] }, scope);
    await world.run();
    expect(asked).toEqual([[]]);
  });

  test("being canceled ends the wait at once", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const cancel = new AbortController();
    const action = restoreAction("x/wait", { includedResources: ["cm"] }, () => ({ waitForAdditionalItems: true }), {
      areAdditionalItemsReady: async () => false,
    });
    const world = await restoreWorld(
      {
        backedUp: [configMap("shop/x"), secret("shop/s")],
        actions: [action],
        clock,
        cancel: cancel.signal,
        settings: { priorities: { high: ["cm"], low: [] } },
      },
      scope,
    );
    const running = world.run();
    await clock.untilSleeping();
    cancel.abort(new Error("user said so"));
    const { status } = await running;
    expect(status).toMatchObject({
      phase: "Failed",
      failureReason: "user said so",
      progress: { itemsRestored: 2 },
    });
    expect(world.ledger()).toEqual([
      "configmaps shop/x skipped the restore was stopped",
      "namespaces shop created",
      "secrets shop/s skipped the restore was canceled",
    ]);
    expect(world.scratch.open.size).toBe(0);
  });
});
