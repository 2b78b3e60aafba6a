import { gzipSync } from "node:zlib";
import type { Scope } from "@jibe/base";
import { defaultRestoreSettings, type ObjectStore, type RestoreHooks, restoreKeys } from "@jibe/engine";
import { eventually, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { annotations, restoreFinalizer as finalizerName } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Restore } from "../../api/resources.ts";
import { ActiveRuns } from "../active-runs.ts";
import { cancelController } from "../cancel/cancel-controller.ts";
import { LiveLogs } from "../live-logs.ts";
import { type FinalizingWorld, finalizingWorld, hang } from "../test/finalizing-world.ts";
import { restoreController } from "./restore-controller.ts";
import { stopHooks } from "./restore-finalizer.ts";

const scope = testScope();
const nothingPolled = { isPolling: () => false, interrupt: async () => {} };
let world: FinalizingWorld;
beforeAll(async () => {
  world = await finalizingWorld(scope);
  const head = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "source" } };
  await world.backups.create({ ...head, spec: { storageLocation: "default" } }, scope);
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

async function finalizing(name: string, phase: "Finalizing" | "FinalizingPartiallyFailed"): Promise<Restore> {
  const { restores, store } = world;
  const head = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name, finalizers: [finalizerName] } };
  const made = await restores.create({ ...head, spec: { backupName: "source" } }, scope);
  const log = async function* () {
    yield gzipSync("the run's own line\n");
  };
  await store.put(restoreKeys(name).log, log, scope);
  return restores.patchUnchanged(made, { status: { phase } }, scope);
}

/** Its last step hangs in a read of the store's plugin, which tells when it is reached. */
function controllersWith(reached: () => void) {
  const { backups, restores, store } = world;
  const exists = (_key: string, inner: Scope) => {
    reached();
    return hang(inner);
  };
  const hanging: ObjectStore = { ...store, exists };
  const runs = { active: new ActiveRuns(), finalizing: new ActiveRuns() };
  const cancel = {
    kind: "restore",
    type: veleroTypes.restore,
    resources: restores,
    operations: nothingPolled,
  } as const;
  const limits = { concurrentRestores: 1, defaultItemOperationTimeoutMs: 1000, settings: defaultRestoreSettings };
  const parts = { backups, restores, world: world.surroundings({ store: hanging }), liveLogs: new LiveLogs() };
  return {
    runner: restoreController({ ...parts, ...runs, ...limits, cancelOperations: async () => {}, onPhase: () => {} }),
    canceler: cancelController({ ...cancel, ...runs }),
  };
}

const requests = {
  field: { spec: { cancel: true } },
  annotation: { metadata: { annotations: { [annotations.cancel]: "true" } } },
};

describe("a restore that is canceled while it is being finalized", { timeout: 60_000 }, () => {
  for (const phase of ["Finalizing", "FinalizingPartiallyFailed"] as const) {
    for (const [how, request] of Object.entries(requests)) {
      test(`by ${how} in phase ${phase} fails although a plugin hangs, and its log says so`, async () => {
        const name = `${phase}-${how}`.toLowerCase();
        await finalizing(name, phase);
        const reached = Promise.withResolvers<void>();
        const { runner, canceler } = controllersWith(reached.resolve);
        const ending = runner.reconcile(name, scope);
        await Promise.race([reached.promise, ending]);
        await world.restores.patch(name, request, scope);
        await canceler.reconcile(name, scope);
        await ending;
        expect((await world.restores.get(name, scope)).status).toMatchObject({
          phase: "Failed",
          failureReason: "Canceled by user",
          completionTimestamp: expect.any(String),
        });
        const log = await world.text(restoreKeys(name).log);
        expect(log).toMatch(/^the run's own line\n.*msg="restore failed".*reason="Canceled by user"/);
      });
    }
  }

  test("by being deleted does not wait for what hangs", async () => {
    await finalizing("deleted", "Finalizing");
    const reached = Promise.withResolvers<void>();
    const { runner, canceler } = controllersWith(reached.resolve);
    const ending = runner.reconcile("deleted", scope);
    await Promise.race([reached.promise, ending]);
    await world.restores.delete("deleted", scope);
    await canceler.reconcile("deleted", scope);
    await ending;
    await runner.reconcile("deleted", scope);
    await eventually(async () => (await world.restores.find("deleted", scope)) === undefined, { timeoutMs: 30_000 });
  });
});

test("the hooks of a restore are stopped once, when it has ended", async () => {
  const restore = await finalizing("hooked", "Finalizing");
  let stopped = 0;
  const own: RestoreHooks = {
    start: () => {},
    finish: async () => expect.unreachable(),
    [Symbol.asyncDispose]: async () => void stopped++,
  };
  const hooks = new Map([[restore.metadata.uid ?? "", own]]);
  await stopHooks(restore, hooks);
  await stopHooks(restore, hooks);
  expect({ stopped, left: hooks.size }).toEqual({ stopped: 1, left: 0 });
});
