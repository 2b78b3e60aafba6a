import { gunzipSync, gzipSync } from "node:zlib";
import type { KubernetesObject, Restore, RestoreStatus } from "@jibe/plugin-sdk/contracts";
import { fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { claim, object, pod, volume } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { memoryStore } from "../../test/memory-store.ts";
import { restoreWorld } from "../../test/restore-world.ts";
import { finalizeRestore } from "./finalize-restore.ts";
import type { RestoreHooks } from "./restore-hooks.ts";

const restoreOf = (status: RestoreStatus): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "r1", namespace: "velero" },
  spec: { backupName: "b1", namespaceMapping: { shop: "copy" } },
  status,
});
const info = {
  pvcName: "data",
  pvcNamespace: "shop",
  pvName: "old",
  backupMethod: "CSISnapshot",
  pvInfo: { reclaimPolicy: "Retain", labels: { tier: "gold" } },
};

interface Setup {
  readonly objects?: readonly KubernetesObject[];
  readonly status?: RestoreStatus;
  readonly hooks?: Partial<RestoreHooks>;
  readonly resourceList?: object;
  readonly operations?: unknown[];
}

async function finalize({
  objects = [],
  status = { phase: "Finalizing", errors: 1 },
  hooks,
  resourceList,
  operations = [],
}: Setup) {
  using scope = testScope();
  const store = memoryStore();
  const file = (key: string, content: unknown) => store.objects.set(key, gzipSync(JSON.stringify(content)));
  file("backups/b1/b1-volumeinfo.json.gz", [info]);
  file(
    "restores/r1/restore-r1-resource-list.json.gz",
    resourceList ?? { "v1/PersistentVolumeClaim": ["copy/data(created)"] },
  );
  file("restores/r1/restore-r1-itemoperations.json.gz", operations);
  file("restores/r1/restore-r1-results.gz", { errors: { velero: ["before"] }, warnings: {} });
  const cluster = memoryCluster({ objects });
  const clock = fakeClock();
  let isDone = false;
  const request = {
    restore: restoreOf(status),
    settings: { resourceTimeoutMs: 30_000 },
    ...(hooks ? { hooks: hooks as RestoreHooks } : {}),
  };
  const running = finalizeRestore(request, { cluster, store, clock }, scope).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    const [nextMs] = clock.pendingSleeps();
    if (nextMs !== undefined) await clock.advance(nextMs);
  }
  const results = JSON.parse(
    gunzipSync(store.objects.get("restores/r1/restore-r1-results.gz") ?? new Uint8Array()).toString(),
  );
  return { status: await running, results, cluster, elapsedMs: clock.monotonicMs() };
}

const bound = [
  claim("copy/data", "pvc-123"),
  volume("pvc-123", "copy/data", { metadata: { labels: { tier: "silver", made: "new" } } }),
];

describe("finalizeRestore", () => {
  test("gives a volume that was made anew the labels and policy of the old one", async () => {
    const { status, cluster, results } = await finalize({ objects: bound });
    expect(status).toEqual({ phase: "Completed", errors: 1, completionTimestamp: "2026-01-01T00:00:00Z" });
    expect(cluster.read("persistentvolumes", "pvc-123")).toMatchObject({
      metadata: { labels: { tier: "gold", made: "new" } },
      spec: { persistentVolumeReclaimPolicy: "Retain" },
    });
    expect(results).toEqual({ errors: { velero: ["before"] }, warnings: {} });
  });

  const idle: Record<string, Setup> = {
    "claims that this restore did not make": {
      objects: bound,
      resourceList: { "v1/PersistentVolumeClaim": ["copy/data(skipped)"] },
    },
    "claims that wait for a pod": {
      objects: [
        { ...claim("copy/data", ""), status: { phase: "Pending" } },
        object("storage.k8s.io/v1", "StorageClass", "fast", { volumeBindingMode: "WaitForFirstConsumer" }),
      ],
    },
    "claims whose data did not come": {
      objects: bound,
      operations: [
        {
          spec: {
            restoreItemAction: "velero.io/csi-pvc-restorer",
            resourceIdentifier: { Group: "", Resource: "persistentvolumeclaims", Namespace: "copy", Name: "data" },
          },
          status: { phase: "Failed" },
        },
      ],
    },
  };
  for (const [name, setup] of Object.entries(idle)) {
    test(`leaves ${name} alone`, async () => {
      const { status, cluster } = await finalize(setup);
      expect(status.phase).toBe("Completed");
      expect(cluster.calls.filter((call) => call.startsWith("patch"))).toEqual([]);
    });
  }

  test("a claim that is never bound is an error, added to count and results", async () => {
    const { status, results, elapsedMs } = await finalize({
      objects: [{ ...claim("copy/data", ""), status: { phase: "Pending" } }],
    });
    expect(elapsedMs).toBe(30_000);
    expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 2 });
    expect(results.errors).toEqual({
      velero: ["before"],
      namespaces: {
        copy: ["fail to patch dynamic PV, err: timed out waiting for claim and volume to be bound, PVC: data, PV: old"],
      },
    });
  });

  test("a volume bound by another claim is an error", async () => {
    const { results } = await finalize({ objects: [claim("copy/data", "pvc-123"), volume("pvc-123", "copy/thief")] });
    expect(results.errors.namespaces.copy[0]).toContain("unexpected PVC copy/thief");
  });

  test("hooks: their counts go to the status, their errors to the results", async () => {
    const hooks = {
      finish: async () => ({
        status: { hooksAttempted: 3, hooksFailed: 1 },
        errors: [{ namespace: "copy", message: "hook h failed" }],
      }),
    };
    const { status, results } = await finalize({ objects: bound, hooks });
    expect(status).toMatchObject({
      phase: "PartiallyFailed",
      errors: 2,
      hookStatus: { hooksAttempted: 3, hooksFailed: 1 },
    });
    expect(results.errors.namespaces).toEqual({ copy: ["hook h failed"] });
  });

  test("what failed before stays failed", async () => {
    expect((await finalize({ objects: bound, status: { phase: "FinalizingPartiallyFailed" } })).status.phase).toBe(
      "PartiallyFailed",
    );
  });

  test("after a run: hooks of created pods are finished with it", async () => {
    using scope = testScope();
    const annotations = { "post.hook.restore.velero.io/command": "x" };
    const running = { phase: "Running", containerStatuses: [{ name: "main", state: { running: {} } }] };
    const world = await restoreWorld(
      { backedUp: [pod("shop/web", { metadata: { annotations }, status: running })], spec: { restoreStatus: {} } },
      scope,
    );
    const { status, hooks } = await world.run();
    await using _ = hooks;
    const restore = { ...world.request.restore, status };
    const final = await finalizeRestore({ restore, hooks }, world.ports, scope);
    expect(final).toMatchObject({ phase: "Completed", hookStatus: { hooksAttempted: 1 } });
    expect(world.cluster.calls).toContain("exec shop/web main x");
  });
});
