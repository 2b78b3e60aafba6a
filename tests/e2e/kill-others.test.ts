import { systemClock } from "@jibe/base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headOf, killsOf, lineOf, spread } from "./kill/kill-plan.ts";
import { KillWorld } from "./kill/kill-world.ts";

const isFull = process.env["JIBE_FULL"] === "1";
const outageMs = isFull ? 30_000 : 3000;
const mostPluginKills = 60;
const pluginPoints = [
  "backup action: execute",
  "backup action: progress",
  "restore action: execute",
  "restore action: progress",
];
const outagePoints = ["backup action: execute, done", "put velero-backup.json", "create configmaps"];

/** Whether a fault is that something is missing, which a run may say of itself. */
const isLoss = (fault: string) =>
  /^the (backup|restore) is .*PartiallyFailed/.test(fault) ||
  /was not restored$|volumes were restored$|content differs$/.test(fault);

describe("a server that lives on", { timeout: 600_000 }, () => {
  let world: KillWorld;
  let runs = 0;
  beforeAll(async () => {
    world = await KillWorld.start();
  }, 120_000);
  afterAll(() => world[Symbol.asyncDispose](), 60_000);

  for (const point of pluginPoints) {
    test(`goes on when its plugins are killed at "${point}"`, async () => {
      const id = ++runs;
      let reached = 0;
      const run = await world.run(id, { point, passing: 1, act: "kill plugins" }, () => reached++);
      expect(reached).toBe(1);
      expect(run.kills).toBe(0);
      // A death is an error of the run, as under Velero, and costs the calls it was in: an item whose action did not answer is not stored.
      const phases = [run.backup["phase"], run.restore["phase"]];
      expect(phases).toContain("Completed");
      for (const phase of phases) expect(["Completed", "PartiallyFailed"]).toContain(phase);
      if (point.endsWith("execute")) return;
      const faults = await world.faults(id, run);
      expect(faults.filter((fault) => !/^the (backup|restore) is/.test(fault))).toEqual([]);
    });
  }

  test.runIf(isFull)("goes on wherever its plugins are killed", { timeout: 3_600_000 }, async () => {
    expect(await world.faults(++runs, await world.run(runs, {}))).toEqual([]);
    const all = killsOf(await world.counts());
    const table = [headOf(all)];
    const faults: string[] = [];
    for (const kill of spread(all, mostPluginKills)) {
      const { point, passing } = kill;
      const run = await world.run(++runs, { point, passing, act: "kill plugins" });
      const phases = [run.backup["phase"], run.restore["phase"]].map(String);
      const isWhole = phases.every((phase) => phase === "Completed");
      // What died in mid-work is told as an error and may lack in the copy; nothing else may.
      const found = (await world.faults(runs, run)).filter((fault) => isWhole || !isLoss(fault));
      faults.push(...found.map((fault) => `${point} #${passing}: ${fault}`));
      table.push(lineOf(kill, phases.join(" and "), found));
    }
    process.stdout.write(`${table.join("\n")}\n`);
    expect(faults).toEqual([]);
  });

  for (const point of outagePoints) {
    test(`goes on when the API server is away for ${outageMs / 1000} s at "${point}"`, async () => {
      const id = ++runs;
      let mended = false;
      const run = await world.run(id, { point, passing: 1, act: "tell" }, () => {
        world.line.cut();
        systemClock.after(outageMs, () => {
          world.line.mend();
          mended = true;
        });
      });
      expect(mended).toBe(true);
      expect(await world.faults(id, run)).toEqual([]);
    });
  }
});
