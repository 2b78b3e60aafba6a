import { gzipSync } from "node:zlib";
import { AppError, type Scope } from "@jibe/base";
import { fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, namespace, object } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { memoryStore } from "../../test/memory-store.ts";
import { restoreWorld, runInWorld } from "../../test/restore-world.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import { runRestore } from "./run-restore.ts";

describe("a bad archive", () => {
  test("without resources is a warning", async () => {
    const world = await runInWorld({});
    expect(world.status).toMatchObject({ phase: "Finalizing", progress: {} });
    expect(world.results.warnings).toEqual({ velero: ["zero items to be restored: the backup has no resources"] });
  });

  test("that is corrupt is an error; nothing is written to the cluster", async () => {
    const world = await runInWorld({ archive: gzipSync("rubbish").subarray(0, 20) });
    expect(world.status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
    expect(world.results.errors.velero).toEqual([expect.stringMatching(/^archive is (corrupt|truncated)/)]);
    expect(world.cluster.calls).toEqual([]);
    expect(world.scratch.open.size).toBe(0);
  });

  test("with an item that is no JSON: an error of that item alone, with or without selectors", async () => {
    const entries = {
      "resources/configmaps/namespaces/shop/bad.json": "{",
      "resources/configmaps/namespaces/shop/odd.json": "[]",
    };
    const plain = await runInWorld({ backedUp: [configMap("shop/good")], entries });
    expect([...(plain.results.errors.namespaces?.["shop"] ?? [])].sort()).toEqual([
      expect.stringMatching(
        /^error decoding "resources\/configmaps\/namespaces\/shop\/bad.json": item is not valid JSON/,
      ),
      expect.stringMatching(/^error decoding "resources\/configmaps\/namespaces\/shop\/odd.json": item has no kind/),
    ]);
    expect(plain.status.progress).toEqual({ totalItems: 2, itemsRestored: 2 });
    const selected = await runInWorld({
      backedUp: [configMap("shop/good", { labels: { a: "b" } })],
      entries,
      spec: { labelSelector: { matchLabels: { a: "b" } } },
    });
    expect(selected.status).toMatchObject({ errors: 2, progress: { totalItems: 2 } });
    expect(selected.ledger().filter((line) => line.includes("failed"))).toHaveLength(2);
  });

  test("that is missing, or a store that cannot be reached, fails the restore", async () => {
    using scope = testScope();
    const missing = await restoreWorld({}, scope);
    missing.store.objects.clear();
    const { status } = await missing.run();
    expect(status).toMatchObject({
      phase: "Failed",
      failureReason: expect.stringMatching(/^error downloading backup: object .* not found/),
    });
    expect(status.completionTimestamp).toBeDefined();
    const broken = memoryStore({
      fault: (call, key) => {
        if (call === "exists" && key.endsWith("volumeinfo.json.gz"))
          throw new AppError("Unavailable", "no route to store");
      },
    });
    expect((await runInWorld({ store: broken })).status).toMatchObject({
      phase: "Failed",
      failureReason: "no route to store",
    });
  });
});

test("a scratch disk that is full fails the restore before anything is written", async () => {
  using scope = testScope();
  const world = await restoreWorld({ backedUp: [configMap("shop/x")] }, scope);
  const create = world.ports.scratch.create;
  const scratch = {
    create: async (name: string, inner: Scope) => {
      const file = await create(name, inner);
      const append = async () => Promise.reject(new AppError("Unavailable", "no space left on the scratch disk"));
      return name === "archive"
        ? { ...file, size: 0, append, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() }
        : file;
    },
  };
  const { status } = await runRestore(world.request, { ...world.ports, scratch }, scope);
  expect(status).toMatchObject({
    phase: "Failed",
    failureReason: "error downloading backup: no space left on the scratch disk",
  });
  expect([world.cluster.calls, world.scratch.open.size]).toEqual([[], 0]);
});

describe("a cluster in trouble", () => {
  test("a webhook that denies costs its item; the others come", async () => {
    const fault = (call: string) => {
      if (call === "create configmaps shop/b")
        throw new AppError("PermissionDenied", "what: denied", {
          fields: {
            code: 403,
            reason: "Forbidden",
            causes: [],
            message: 'admission webhook "guard" denied the request',
          },
        });
    };
    const world = await runInWorld({ backedUp: ["a", "b", "c"].map((name) => configMap(`shop/${name}`)), fault });
    expect(world.results.errors).toEqual({
      namespaces: { shop: ['error restoring configmaps/shop/b: admission webhook "guard" denied the request'] },
    });
    expect(world.ledger()).toEqual([
      "configmaps shop/a created",
      'configmaps shop/b failed error restoring configmaps/shop/b: admission webhook "guard" denied the request',
      "configmaps shop/c created",
      "namespaces shop created",
    ]);
    expect(JSON.parse(world.file("resourceList"))["v1/ConfigMap"]).toEqual([
      "shop/a(created)",
      "shop/b(failed)",
      "shop/c(created)",
    ]);
  });

  for (const code of ["Unavailable", "Conflict", "DeadlineExceeded"] as const) {
    test(`a storm of ${code} passes`, async () => {
      const clock = fakeClock();
      using scope = testScope();
      const attempts = new Map<string, number>();
      const world = await restoreWorld(
        {
          backedUp: Array.from({ length: 50 }, (_, index) => configMap(`shop/c${index}`)),
          clock,
          fault: (call) => {
            const count = (attempts.get(call) ?? 0) + 1;
            attempts.set(call, count);
            if (call.startsWith("create") && count <= 4) throw new AppError(code, "storm");
          },
        },
        scope,
      );
      let isDone = false;
      const running = world.run().finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await clock.advance(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await running).status).toMatchObject({ errors: 0, progress: { itemsRestored: 51 } });
    });
  }

  test("a namespace that terminates is waited for; one that stays fails its items, and no others", async () => {
    const terminating = (name: string) => ({ ...namespace(name), status: { phase: "Terminating" } });
    const world = await runInWorld({
      backedUp: [namespace("old"), namespace("new"), configMap("old/a"), configMap("old/b"), configMap("new/c")],
      objects: [terminating("old")],
      settings: { terminatingResourceTimeoutMs: 20 },
    });
    const text = "timed out waiting for terminating namespace old to disappear before restoring";
    expect(world.results.errors).toEqual({ velero: [text, text, text] });
    expect(world.cluster.read("configmaps", "c", "new")).toBeDefined();
    expect(world.status.progress).toEqual({ totalItems: 2, itemsRestored: 2 });

    using scope = testScope();
    const later = await restoreWorld({ backedUp: [configMap("old/a")], objects: [terminating("old")] }, scope);
    const get = later.cluster.get;
    later.cluster.get = async (type, name, inner) => {
      const body = await get(type, name, inner);
      later.cluster.remove("namespaces", "old");
      return body;
    };
    expect((await later.run()).status).toMatchObject({ errors: 0, progress: { itemsRestored: 2 } });
  });

  test("discovery that cannot be read again after CRDs is a warning", async () => {
    const definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "w.example.io", {
      spec: { group: "example.io", names: { plural: "w", kind: "W" }, versions: [] },
      status: { conditions: ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" })) },
    });
    let discoveries = 0;
    const fault = (call: string) => {
      if (call === "discover" && ++discoveries > 1) throw new AppError("PermissionDenied", "not any more");
    };
    const world = await runInWorld({ backedUp: [definition, configMap("shop/a")], fault, spec: { restoreStatus: {} } });
    expect(world.results.warnings.cluster).toEqual(["refresh discovery after restoring CRDs: not any more"]);
    expect(world.cluster.read("configmaps", "a", "shop")).toBeDefined();
  });

  test("files that cannot be written do not undo the restore; a lost log is an error", async () => {
    const store = memoryStore({
      fault: (call, key) => {
        if (call === "put" && /logs|resource-list/.test(key)) throw new AppError("Unavailable", "store is gone");
      },
    });
    const world = await runInWorld({ backedUp: [configMap("shop/a")], store });
    expect(world.status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
    expect(world.results.errors.velero).toEqual(["error uploading log file to backup storage: store is gone"]);
    expect(JSON.parse(world.file("results")).errors.velero).toHaveLength(1);
  });
});

describe("an early end", () => {
  test("on request: what was done stays, every item has an outcome, files are written", async () => {
    using scope = testScope();
    const cancel = new AbortController();
    const backedUp = Array.from({ length: 40 }, (_, index) => configMap(`shop/c${String(index).padStart(2, "0")}`));
    let created = 0;
    const world = await restoreWorld(
      {
        backedUp,
        cancel: cancel.signal,
        settings: { concurrency: 2 },
        fault: (call) => {
          if (call.startsWith("create configmaps") && ++created === 10) cancel.abort(new Error("by the user"));
        },
      },
      scope,
    );
    const { status } = await world.run();
    expect(status).toMatchObject({ phase: "Failed", failureReason: "by the user" });
    expect(world.ledger()).toHaveLength(41);
    expect(new Set(world.ledger().map((line) => line.split(" ").slice(0, 2).join(" "))).size).toBe(41);
  });

  test("by the server: it rejects with the reason, leaves nothing open, and another run does the rest", async () => {
    using scope = testScope();
    using stopped = testScope();
    const backedUp = Array.from({ length: 40 }, (_, index) => configMap(`shop/c${index}`));
    const status = { startTimestamp: "2026-01-01T00:00:00Z" };
    let created = 0;
    const first = await restoreWorld(
      {
        backedUp,
        status,
        fault: (call) => {
          if (call.startsWith("create configmaps") && ++created === 15) stopped.abort(new Error("server stops"));
        },
      },
      stopped,
    );
    await expect(first.run()).rejects.toThrow("server stops");
    expect(first.scratch.open.size).toBe(0);
    const second = await restoreWorld({ backedUp, status, cluster: first.cluster }, scope);
    const { status: ended } = await second.run();
    expect(ended).toMatchObject({ phase: "Finalizing", warnings: 0, errors: 0 });
    expect(JSON.parse(second.file("resourceList"))["v1/ConfigMap"]).toEqual(
      backedUp.map(({ metadata }) => `shop/${metadata.name}(created)`).sort(),
    );
  });
});

describe("plugins", () => {
  test("that are opened for the run log into it, and are closed at its end", async () => {
    using scope = testScope();
    const world = await restoreWorld({ backedUp: [configMap("shop/x")] }, scope);
    const inner = world.ports.plugins as RunPlugins;
    let isClosed = false;
    const plugins = async (opened: Scope) => {
      opened.log.info("hello from a plugin");
      const close = async () => {
        isClosed = true;
      };
      return { ...inner, [Symbol.asyncDispose]: close };
    };
    const { status } = await runRestore(world.request, { ...world.ports, plugins }, scope);
    expect([status.phase, isClosed]).toEqual(["Finalizing", true]);
    expect(world.file("log")).toContain("hello from a plugin");
  });

  test("that cannot be opened fail the restore", async () => {
    using scope = testScope();
    const world = await restoreWorld({ backedUp: [configMap("shop/x")] }, scope);
    const plugins = () => Promise.reject(new AppError("Unavailable", "no such file"));
    const { status } = await runRestore(world.request, { ...world.ports, plugins }, scope);
    expect(status).toMatchObject({ phase: "Failed", failureReason: "no such file" });
    expect(world.cluster.calls).toEqual([]);
  });

  test("whose operations run are told when the restore is canceled", async () => {
    using scope = testScope();
    const cancel = new AbortController();
    const canceled: string[] = [];
    const action = restoreAction(
      "x/op",
      { includedResources: ["cm"] },
      () => {
        cancel.abort(new Error("by the user"));
        return { operationId: "op-1" };
      },
      { cancel: async (id) => void canceled.push(id) },
    );
    const world = await restoreWorld(
      { backedUp: [configMap("shop/x")], actions: [action], cancel: cancel.signal },
      scope,
    );
    const { operations } = await world.run();
    expect(canceled).toEqual(["op-1"]);
    expect(operations).toMatchObject([{ status: { phase: "Failed", error: "the restore was canceled" } }]);
  });
});
