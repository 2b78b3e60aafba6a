import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { AppError, type Scope, systemClock } from "@jibe/base";
import { type BackupOperation, backupKeys, type OperationPlugin, putJson } from "@jibe/engine";
import type { OperationProgress } from "@jibe/plugin-sdk/contracts";
import { eventually, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { annotations } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import { openFilesystemStore } from "../../object-store/filesystem/filesystem-store.ts";
import { ActiveRuns } from "../active-runs.ts";
import { cancelController } from "../cancel/cancel-controller.ts";
import { hang } from "../test/finalizing-world.ts";
import { type SandboxBackups, sandboxBackups } from "../test/sandbox-backups.ts";
import { operationsController } from "./operations-controller.ts";
import { backupOperationsKind } from "./operations-kind.ts";
import { statusWithoutStore } from "./without-store.ts";

const scope = testScope();
const pollsAtOnce = 32;
const patient = { timeout: 60_000 };
let world: SandboxBackups;
let backups: SandboxBackups["backups"];
let bucket: string;

beforeAll(async () => {
  world = await sandboxBackups(scope);
  backups = world.backups;
  bucket = join(world.dir, "bucket");
  await mkdir(bucket);
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

const openStore = async () => {
  const store = await openFilesystemStore({ root: world.dir, bucket: "bucket", prefix: "", location: "" });
  return { ...store, [Symbol.asyncDispose]: async () => {} };
};

/** A backup that waits for so many operations. */
async function waiting(name: string, count: number): Promise<Backup> {
  const created = systemClock.now().toISOString();
  const operations = Array.from({ length: count }, (_, index) => ({
    spec: {
      backupName: name,
      backupUID: name,
      backupItemAction: "example.io/copy",
      resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: "shop", Name: `item-${index}` },
      operationID: `${name}-${index}`,
    },
    status: { phase: "New", created },
  }));
  await putJson(await openStore(), backupKeys(name).itemOperations, operations, scope);
  const made = await backups.create(
    { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name }, spec: {} },
    scope,
  );
  return backups.patchUnchanged(made, { status: { phase: "WaitingForPluginOperations" } }, scope);
}

function controllerWith(
  progress: (operationId: string, scope: Scope) => Promise<OperationProgress>,
  more: Partial<Pick<OperationPlugin<BackupOperation>, "cancel"> & { openStore: typeof openStore }> = {},
) {
  const plugin: OperationPlugin<BackupOperation> = {
    pluginOf: () => "example.io/copy",
    progress: ({ spec }, inner) => progress(spec.operationID, inner),
    cancel: more.cancel ?? (async () => {}),
  };
  const kind = { ...backupOperationsKind, pluginFor: () => plugin, openStore: more.openStore ?? openStore };
  const timing = { clock: systemClock, frequencyMs: 10_000, limit: pollsAtOnce };
  return operationsController<Backup, BackupOperation>(kind, { ...timing, resources: backups, holder: "test" });
}

const phaseOf = async (name: string) => (await backups.get(name, scope)).status?.phase;

test("ten thousand operations are asked in one round, while another run goes on to its end", patient, async () => {
  const count = 10_000;
  await Promise.all([waiting("big", count), waiting("small", 1)]);
  const released = Promise.withResolvers<void>();
  let [asked, open, most] = [0, 0, 0];
  const controller = controllerWith(async (id) => {
    if (id.startsWith("small")) return { completed: true };
    asked++;
    most = Math.max(most, ++open);
    await released.promise;
    open--;
    return { completed: false, nCompleted: 1, nTotal: 2 };
  });
  const big = controller.reconcile("big", scope);
  await eventually(() => open === pollsAtOnce, { timeoutMs: 30_000 });
  await controller.reconcile("small", scope);
  expect(await phaseOf("small")).toBe("Finalizing");
  expect(asked).toBe(pollsAtOnce); // the plugin of the first still hangs
  released.resolve();
  const { requeueAfterMs } = await big;
  expect({ asked, most }).toEqual({ asked: count, most: pollsAtOnce });
  expect(requeueAfterMs).toBeLessThanOrEqual(10_000);
});

test(
  "an operation that fails is told alike in status, results, log and ledger, with its plugin and item",
  patient,
  async () => {
    await waiting("failing", 1);
    const { results, log, ledger } = backupKeys("failing");
    await putJson(await openStore(), results, { errors: {}, warnings: {} }, scope);
    for (const key of [log, ledger]) await writeFile(join(bucket, key), gzipSync("before\n"));
    const controller = controllerWith(async () => ({ completed: true, error: "the disk broke" }));
    await controller.reconcile("failing", scope);
    expect((await backups.get("failing", scope)).status).toMatchObject({
      phase: "FinalizingPartiallyFailed",
      errors: 1,
      backupItemOperationsFailed: 1,
    });
    for (const key of [results, log, ledger]) {
      const text = gunzipSync(await readFile(join(bucket, key))).toString();
      for (const part of ["the disk broke", "example.io/copy", "configmaps", "shop", "item-0"])
        expect(text, key).toContain(part);
    }
  },
);

test("results that were never stored are not taken for empty ones", patient, async () => {
  const made = await waiting("gap", 2);
  await backups.patchUnchanged(made, { status: { errors: 3, warnings: 1 } }, scope);
  let failing = 0;
  const controller = controllerWith(async (id) => ({ completed: id === `gap-${failing}`, error: "the disk broke" }));
  const resultsOf = async () => gunzipSync(await readFile(join(bucket, backupKeys("gap").results))).toString();
  for (const errors of [4, 5]) {
    await controller.reconcile("gap", scope);
    expect((await backups.get("gap", scope)).status).toMatchObject({ errors });
    expect(await resultsOf()).toContain("only its log has them (errors: 3, warnings: 1)");
    failing++;
  }
});

test("a missing file of operations is an error of the run, not a run without operations", patient, async () => {
  const made = await waiting("robbed", 1);
  await backups.patchUnchanged(made, { status: { backupItemOperationsAttempted: 1 } }, scope);
  await rm(join(bucket, backupKeys("robbed").itemOperations));
  await controllerWith(async () => ({ completed: true })).reconcile("robbed", scope);
  const { status } = await backups.get("robbed", scope);
  expect(status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
  const log = gunzipSync(await readFile(join(bucket, backupKeys("robbed").log))).toString();
  expect(log).toContain("the file with the 1 operations of the backup is missing");
});

test("a run that a server without the lease has taken is taken back", patient, async () => {
  await waiting("stolen", 1);
  let isDone = false;
  const controller = controllerWith(async () => ({ completed: isDone }));
  await controller.reconcile("stolen", scope);
  await backups.patch("stolen", { metadata: { annotations: { [annotations.runHolder]: "another" } } }, scope);
  isDone = true;
  await eventually(
    async () => {
      await controller.reconcile("stolen", scope).catch(() => {}); // the queue calls again
      return (await phaseOf("stolen")) === "Finalizing";
    },
    { timeoutMs: 30_000 },
  );
});

test("a cancel does not wait for a question that hangs", patient, async () => {
  await waiting("stuck", 1);
  const asked = Promise.withResolvers<void>();
  const controller = controllerWith((_id, inner) => {
    asked.resolve();
    return hang(inner);
  });
  const polling = controller.reconcile("stuck", scope);
  await asked.promise;
  await backups.patch("stuck", { spec: { cancel: true } }, scope);
  const cancel = { kind: "backup", type: veleroTypes.backup, resources: backups } as const;
  const runs = { active: new ActiveRuns(), finalizing: new ActiveRuns() };
  await cancelController({ ...cancel, ...runs, operations: controller }).reconcile("stuck", scope);
  expect(await polling).toEqual({ requeueAfterMs: 0 });
  await controller.reconcile("stuck", scope);
  expect((await backups.get("stuck", scope)).status).toMatchObject({
    phase: "Failed",
    failureReason: "Canceled by user",
    backupItemOperationsFailed: 1,
  });
});

const lost: Readonly<Record<string, { readonly spec: object; readonly want: object }>> = {
  "ends as partially failed": { spec: {}, want: { phase: "PartiallyFailed", completionTimestamp: expect.any(String) } },
  "can be canceled": { spec: { cancel: true }, want: { phase: "Failed", failureReason: "Canceled by user" } },
};
for (const [index, [name, { spec, want }]] of Object.entries(lost).entries()) {
  test(`a backup whose location is gone ${name}`, patient, async () => {
    const backup = await waiting(`lost-${index}`, 1);
    const canceled: string[] = [];
    let isGone = false;
    const goneStore = async () => {
      if (isGone) throw new AppError("NotFound", 'backup storage location "default" not found');
      return openStore();
    };
    const cancel = async ({ spec: { operationID } }: BackupOperation) => void canceled.push(operationID);
    const controller = controllerWith(async () => ({ completed: isGone }), { openStore: goneStore, cancel });
    await controller.reconcile(backup.metadata.name, scope);
    await backups.patch(backup.metadata.name, { spec }, scope);
    isGone = true;
    await eventually(
      async () => {
        await controller.reconcile(backup.metadata.name, scope); // as the queue does: once it is due
        return (await phaseOf(backup.metadata.name)) !== "WaitingForPluginOperations";
      },
      { timeoutMs: 30_000 },
    );
    expect((await backups.get(backup.metadata.name, scope)).status).toMatchObject(want);
    if ("cancel" in spec) expect(canceled).toEqual([`lost-${index}-0`]);
  });
}

test("a restore whose location is gone goes on to its end", () => {
  const restore: Restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r" }, spec: {} };
  expect(statusWithoutStore("restore", restore, systemClock)).toEqual({ phase: "FinalizingPartiallyFailed" });
});

test("nothing is written about a backup once its deletion has begun, though a question is open", patient, async () => {
  const backup = await waiting("doomed", 1);
  const asked = Promise.withResolvers<void>();
  const controller = controllerWith((_id, inner) => {
    asked.resolve();
    return hang(inner);
  });
  const polling = controller.reconcile("doomed", scope);
  await asked.promise;
  const read = await backups.get("doomed", scope);
  const deleting = await backups.patchUnchanged(read, { status: { phase: "Deleting" } }, scope);
  await controller.cancel(deleting, "the backup is being deleted", scope);
  await rm(join(bucket, backupKeys("doomed").directory), { recursive: true });
  expect(await polling).toEqual({});
  expect(await controller.reconcile("doomed", scope)).toEqual({});
  await controller.flush("doomed", scope);
  expect(await readdir(join(bucket, "backups"))).not.toContain(backup.metadata.name);
});
