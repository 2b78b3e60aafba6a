import { AppError } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { backup, configMap, namespace, pod } from "../../test/builders.ts";
import { manualClock } from "../../test/manual-clock.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { backupAction, memoryPlugins } from "../../test/memory-plugins.ts";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { memoryStore } from "../../test/memory-store.ts";
import { backupKeys } from "../layout/object-keys.ts";
import { runBackup } from "./run-backup.ts";

const objects = [namespace("a"), configMap("a/x"), pod("a/one")];
const keys = backupKeys("b1");

describe("the store", () => {
  test("that has the backup already is left untouched", async () => {
    const store = memoryStore();
    store.objects.set(keys.metadata, new Uint8Array([1]));
    const { result } = await backUp({ objects, store });
    expect(result.phase).toBe("Failed");
    expect(result.status.failureReason).toBe("backup already exists in object storage");
    expect(store.history).toEqual([]);
  });

  test("that cannot be reached fails the backup before any item is touched", async () => {
    const store = memoryStore({
      fault: () => {
        throw new AppError("Unavailable", "connection refused");
      },
    });
    const { result, cluster } = await backUp({ objects, store });
    expect(result.status.failureReason).toBe(
      "error checking if backup already exists in object storage: connection refused",
    );
    expect(cluster.calls).toEqual([]);
  });

  const files = [
    "metadata",
    "contents",
    "results",
    "resourceList",
    "itemOperations",
    "volumeInfo",
    "volumeSnapshots",
    "podVolumeBackups",
    "ledger",
  ] as const;
  for (const file of files) {
    test(`that loses the upload of ${file} has no backup afterwards`, async () => {
      const store = memoryStore({
        fault: (call, key) => {
          if (call === "put" && key === keys[file]) throw new AppError("Unavailable", "connection reset");
        },
      });
      const { result } = await backUp({ objects, store });
      expect(result.phase).toBe("Failed");
      expect(result.status.failureReason).toBe(`cannot upload "${keys[file]}": connection reset`);
      expect(result.status.completionTimestamp).toBeUndefined();
      expect(store.objects.has(keys.metadata)).toBe(false);
      expect(store.objects.has(keys.contents)).toBe(false);
      expect(store.objects.has(keys.log)).toBe(true);
    });
  }

  test("that loses the log has the backup all the same", async () => {
    const store = memoryStore({
      fault: (call, key) => {
        if (call === "put" && key === keys.log) throw new AppError("Unavailable", "connection reset");
      },
    });
    const { result, log } = await backUp({ objects, store });
    expect(result.phase).toBe("Finalizing");
    expect(store.objects.has(keys.metadata)).toBe(true);
    expect(log).toContainEqual(expect.objectContaining({ message: "Error uploading log file" }));
  });

  test("is a backup only once all of it is there: its metadata is written last", async () => {
    const { store } = await backUp({ objects });
    expect(store.history.slice(0, 2)).toEqual([keys.log, keys.contents]);
    expect(store.history.at(-1)).toBe(keys.metadata);
    expect(store.history.slice(2, -1).sort()).toEqual(
      [
        keys.itemOperations,
        keys.ledger,
        keys.podVolumeBackups,
        keys.resourceList,
        keys.results,
        keys.volumeInfo,
        keys.volumeSnapshots,
      ].sort(),
    );
  });
});

describe("the cluster", () => {
  test("with an API group that fails discovery: a warning, and the rest is backed up", async () => {
    const error = new AppError("Unavailable", "the server is currently unable to handle the request");
    const cluster = memoryCluster({ objects, failures: [{ group: "metrics.k8s.io", version: "v1", error }] });
    const outcome = await backUp({ cluster });
    expect(outcome.result.phase).toBe("Finalizing");
    expect(outcome.results().warnings.velero).toEqual([
      " message: /API group could not be read, its items are not in the backup error: /the server is currently unable to handle the request",
    ]);
    expect(await outcome.paths()).toHaveLength(3);
  });

  test("that cannot list one type: an error, and every other type is backed up", async () => {
    const cluster = memoryCluster({
      objects,
      fault: (call) => {
        if (call === "list configmaps") throw new AppError("PermissionDenied", "configmaps is forbidden");
      },
    });
    const outcome = await backUp({ cluster });
    expect(outcome.result.phase).toBe("FinalizingPartiallyFailed");
    expect(outcome.results().errors.cluster).toEqual([
      " resource: /configmaps message: /Error listing items error: /configmaps is forbidden",
    ]);
    expect(await outcome.paths()).toEqual(["namespaces a", "pods a/one"]);
  });

  test("that breaks off in the middle of a list: what came is kept, and the error says so", async () => {
    const many = Array.from({ length: 30 }, (_, index) => configMap(`a/c${String(index).padStart(2, "0")}`));
    let pages = 0;
    const cluster = memoryCluster({
      objects: [namespace("a"), ...many],
      fault: (call) => {
        if (call === "list configmaps page" && ++pages === 2) throw new AppError("Unavailable", "connection reset");
      },
    });
    const outcome = await backUp({ cluster, options: { pageSize: 10 } });
    expect(outcome.result.phase).toBe("FinalizingPartiallyFailed");
    expect(outcome.results().errors.cluster).toEqual([
      " resource: /configmaps message: /Error listing items error: /connection reset",
    ]);
    expect(await outcome.paths()).toHaveLength(21);
  });

  test("that cannot list namespaces or be discovered fails the backup, with a log", async () => {
    for (const broken of ["list namespaces", "discover"]) {
      const cluster = memoryCluster({
        objects,
        fault: (call) => {
          if (call === broken) throw new AppError("Unavailable", "connection refused");
        },
      });
      const outcome = await backUp({ cluster });
      expect(outcome.result.phase).toBe("Failed");
      expect(outcome.result.status.failureReason).toBe("connection refused");
      expect(outcome.text("log")).toContain("connection refused");
      expect(JSON.parse(outcome.text("metadata")).status.phase).toBe("Failed");
    }
  });

  test("that refuses status patches: warnings, and the backup is complete", async () => {
    const outcome = await backUp({
      objects,
      ports: {
        patchStatus: async () => {
          throw new AppError("Conflict", "the object has been modified");
        },
      },
    });
    expect(outcome.result.phase).toBe("Finalizing");
    expect(outcome.result.status.warnings).toBe(1);
    expect(JSON.stringify(outcome.results().warnings)).toContain("the object has been modified");
    expect(await outcome.paths()).toHaveLength(3);
  });
});

describe("an item that, once it was listed,", () => {
  const listed = [namespace("a"), configMap("a/first"), configMap("a/second"), configMap("a/third")];
  /** Does something to the cluster while the first item has its turn. */
  const meanwhile = async (happens: (cluster: ReturnType<typeof memoryCluster>) => void) => {
    const cluster = memoryCluster({ objects: listed });
    const act = backupAction("example.io/act", { includedResources: ["configmaps"] }, async (item) => {
      if (item.metadata.name === "first") happens(cluster);
      return { item: { ...item, data: { ...(item["data"] as object), seen: "yes" } } };
    });
    const plugins = memoryPlugins({ backup: [act] });
    return backUp({ cluster, plugins, options: { itemBlockConcurrency: 1 } });
  };

  test("vanishes is stored as it was listed, and no other item is lost", async () => {
    const outcome = await meanwhile((cluster) => cluster.remove("configmaps", "second", "a"));
    expect(outcome.result.phase).toBe("Finalizing");
    expect(await outcome.paths()).toEqual([
      "configmaps a/first",
      "configmaps a/second",
      "configmaps a/third",
      "namespaces a",
    ]);
    expect((await outcome.item("configmaps", "second", "a"))["data"]).toEqual({ key: "value", seen: "yes" });
    expect(outcome.results()).toEqual({ errors: {}, warnings: {} });
  });

  test("changes is stored as it was listed, not read again, and no other item is lost", async () => {
    const changed = { ...configMap("a/second"), data: { key: "newer" } };
    const outcome = await meanwhile((cluster) => cluster.add(changed));
    expect(outcome.result.phase).toBe("Finalizing");
    expect(await outcome.paths()).toHaveLength(4);
    expect(outcome.results()).toEqual({ errors: {}, warnings: {} });
    expect((await outcome.item("configmaps", "second", "a"))["data"]).toEqual({ key: "value", seen: "yes" });
    expect(outcome.cluster.calls.filter((call) => call.startsWith("get configmaps"))).toEqual([]);
  });
});

describe("a full disk", () => {
  // Content that does not compress, so that the archive grows with the items.
  const noise = (seed: number) =>
    Array.from({ length: 3000 }, (_, index) => Math.abs(Math.sin(seed * 7919 + index) * 1e9).toString(36)).join("");
  const large = Array.from({ length: 200 }, (_, index) => ({ ...configMap(`a/c${index}`), data: { v: noise(index) } }));

  test("while the archive is written fails the backup; no half archive is left", async () => {
    const scratch = memoryScratch({ capacity: 2_000_000 });
    const outcome = await backUp({ objects: [namespace("a"), ...large], scratch });
    expect(outcome.result.phase).toBe("Failed");
    expect(outcome.result.status.failureReason).toContain("no space left on the scratch disk");
    expect(outcome.store.objects.has(keys.metadata)).toBe(false);
    expect(outcome.store.objects.has(keys.contents)).toBe(false);
    expect(scratch.open.size).toBe(0);
  });

  test("while items are spooled fails the backup; its log is kept", async () => {
    const scratch = memoryScratch({ capacity: 100_000 });
    const noop = memoryPlugins({ backup: [backupAction("example.io/noop", {})] });
    const outcome = await backUp({ objects: [namespace("a"), ...large], scratch, plugins: noop });
    expect(outcome.result.phase).toBe("Failed");
    expect(outcome.result.status.failureReason).toContain("no space left on the scratch disk");
    expect(outcome.text("log")).toContain("no space left");
    expect(scratch.open.size).toBe(0);
  });
});

describe("a run that is stopped", () => {
  /** Stops at the n-th call to the cluster or the store and says whether there was one. */
  async function stopAt(n: number, how: "from outside" | "by the user") {
    using scope = testScope();
    const cancel = new AbortController();
    let calls = 0;
    const tick = () => {
      if (++calls !== n) return;
      if (how === "by the user") cancel.abort(new AppError("Internal", "Canceled by user"));
      else scope.abort(new Error("server stops"));
    };
    const cluster = memoryCluster({ objects, fault: tick });
    let during = "";
    const store = memoryStore({
      fault: (call) => {
        tick();
        if (calls === n) during = call;
      },
    });
    const scratch = memoryScratch();
    const cancelled: string[] = [];
    const start = backupAction(
      "example.io/start",
      { includedResources: ["pods"] },
      () => ({ operationId: "op-1", additionalItems: [{ groupResource: "configmaps", namespace: "a", name: "none" }] }),
      { cancel: async (id) => void cancelled.push(id) },
    );
    const running = runBackup(
      { backup: backup("b1") },
      {
        cluster,
        store,
        scratch,
        plugins: memoryPlugins({ backup: [start] }),
        clock: manualClock(),
        newId: () => "id",
        patchStatus: async () => {},
        snapshotLocations: [],
        cancel: cancel.signal,
      },
      scope,
    );
    const ended = await running.then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    );
    expect(scratch.open.size).toBe(0);
    return { ...ended, calls, cancelled, store, during };
  }

  test("from outside ends at any step with that reason, and leaves no files behind", async () => {
    for (let n = 1; ; n++) {
      const { result, error, calls, store } = await stopAt(n, "from outside");
      if (calls < n) {
        expect(n).toBeGreaterThan(10);
        expect(result?.phase).toBe("WaitingForPluginOperations");
        break;
      }
      if (result) continue; // stopped within the last call: everything was there
      expect(error).toMatchObject({ message: "server stops" });
      expect(store.objects.size).toBeLessThan(10);
    }
  });

  test("by the user ends at any step as Failed, with its log, operations cancelled", async () => {
    let sawOperation = false;
    for (let n = 1; ; n++) {
      const { result, calls, cancelled, store, during } = await stopAt(n, "by the user");
      if (calls < n) break;
      if (during === "put") continue;
      expect(result?.phase).toBe("Failed");
      expect(result?.status.failureReason).toBe("Canceled by user");
      expect(store.objects.has(keys.log)).toBe(true);
      expect(JSON.parse(Buffer.from(store.objects.get(keys.metadata) ?? []).toString()).status.phase).toBe("Failed");
      expect(cancelled).toEqual(result?.operations.map(({ spec }) => spec.operationID));
      for (const { status } of result?.operations ?? []) {
        sawOperation = true;
        expect(status).toMatchObject({ phase: "Failed", error: "Canceled by user" });
      }
    }
    expect(sawOperation).toBe(true);
  });

  test("by the user while it is uploaded leaves all of it to whoever ends it, nothing half", async () => {
    const whole = (await stopAt(0, "by the user")).store;
    let uploads = 0;
    for (let n = 1; ; n++) {
      const { result, calls, cancelled, store, during } = await stopAt(n, "by the user");
      if (calls < n) break;
      if (during !== "put") continue;
      uploads++;
      expect(result?.phase).toBe("WaitingForPluginOperations");
      expect([...store.objects.keys()].sort()).toEqual([...whole.objects.keys()].sort());
      expect(cancelled).toEqual([]);
    }
    expect(uploads).toBe(whole.objects.size);
  });
});
