import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headOf, killsOf, lineOf, spread } from "./kill/kill-plan.ts";
import { KillWorld } from "./kill/kill-world.ts";

const mostKills = process.env["JIBE_FULL"] === "1" ? 60 : 10;

describe("a server killed with -9 at a named call", { timeout: 3_600_000 }, () => {
  let world: KillWorld;
  let lone = 0;
  beforeAll(async () => {
    world = await KillWorld.start();
  }, 120_000);
  afterAll(() => world[Symbol.asyncDispose](), 60_000);

  for (const point of ["snapshotter: restore, done", "create persistentvolumes"]) {
    test(`leaves no volume behind that nobody uses, killed at "${point}"`, async () => {
      const id = 100 + lone++;
      const run = await world.run(id, { point, passing: 1 });
      expect(run.kills).toBe(1);
      expect(await world.faults(id, run)).toEqual([]);
    });
  }

  test("leaves no snapshot behind that only one of its files knows", async () => {
    const id = 100 + lone++;
    const run = await world.run(id, { point: "put -volumesnapshots.json.gz", passing: 1 });
    expect(run.kills).toBe(1);
    expect(await world.faults(id, run)).toEqual([]);
  });

  test("is followed by one that fails its backup, where that is wanted as under Velero", async () => {
    world.flags = ["--on-restart=fail"];
    const { kills, backup } = await world.run(100 + lone++, { point: "backup action: execute, done", passing: 1 });
    world.flags = [];
    expect(kills).toBe(1);
    expect(backup).toMatchObject({
      phase: "Failed",
      failureReason: 'found a backup with status "InProgress" during the server starting, mark it as "Failed"',
    });
  });

  test("is followed by one that brings backup and restore to their end", async () => {
    const calm = await world.run(0, {});
    expect(await world.faults(0, calm)).toEqual([]);
    const all = killsOf(await world.counts());
    const table = [headOf(all)];
    const faults: string[] = [];
    let reached = 0;
    for (const [index, kill] of spread(all, mostKills).entries()) {
      const { point, passing } = kill;
      const run = await world.run(index + 1, { point, passing });
      const found = await world.faults(index + 1, run);
      reached += run.kills > 0 ? 1 : 0;
      faults.push(...found.map((fault) => `${point} #${passing}: ${fault}`));
      table.push(lineOf(kill, `${run.kills} killed`, found));
    }
    process.stdout.write(`${table.join("\n")}\n`);
    expect(faults).toEqual([]);
    // How often progress is asked depends on the machine, so a last passing may not come again.
    expect(reached).toBeGreaterThanOrEqual(Math.floor(mostKills * 0.7));
  });
});
