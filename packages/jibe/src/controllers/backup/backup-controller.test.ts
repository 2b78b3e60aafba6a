import { backupDefaults } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ActiveRuns } from "../active-runs.ts";
import { LiveLogs } from "../live-logs.ts";
import { type FinalizingWorld, finalizingWorld } from "../test/finalizing-world.ts";
import { backupController } from "./backup-controller.ts";

const scope = testScope();
let world: FinalizingWorld;
beforeAll(async () => {
  world = await finalizingWorld(scope);
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

for (const phase of [undefined, "New", "Queued", "ReadyToStart"] as const) {
  test(`a backup that is canceled in phase ${phase ?? "(none)"} ends without having run`, {
    timeout: 60_000,
  }, async () => {
    const { backups } = world;
    const name = `canceled-${phase ?? "none"}`.toLowerCase();
    const head = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name } };
    const made = await backups.create({ ...head, spec: { cancel: true } }, scope);
    if (phase) await backups.patchUnchanged(made, { status: { phase } }, scope);
    const runs = { active: new ActiveRuns(), liveLogs: new LiveLogs(), concurrentBackups: 1 };
    const settings = { defaults: backupDefaults, options: {}, onPhase: () => {} };
    const controller = backupController({ backups, world: world.surroundings(), ...runs, ...settings });
    await controller.reconcile(name, scope);
    const { status } = await backups.get(name, scope);
    expect(status).toMatchObject({ phase: "Failed", failureReason: "Canceled by user" });
    expect(status?.startTimestamp).toBe(undefined);
  });
}
