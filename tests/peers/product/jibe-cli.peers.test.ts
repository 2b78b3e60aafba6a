import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { eventually, testScope } from "@jibe/testkit";
import { startVelero } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RealWorld, shop } from "./real-world.ts";
import { comparable } from "./same-text.ts";
import { startSharedStore } from "./shared-store.ts";

describe("our command line on a real Velero server", () => {
  const scope = testScope();
  const stack = new AsyncDisposableStack();
  let world: RealWorld;
  let logs: () => string = () => "";
  beforeAll(async () => {
    world = stack.use(await RealWorld.start({}, scope));
    const { kubernetes } = world;
    const { root, pluginDir, env } = stack.use(await startSharedStore(kubernetes.dir));
    const flags = ["--store-validation-frequency=1s", "--default-item-operation-timeout=1m"];
    const velero = stack.use(await startVelero({ kubernetes, pluginDir, env, flags }, scope));
    logs = velero.logs;
    await kubernetes.apply(shop);
    const location = ["--provider=example.io/shared", "--bucket=bucket", `--config=root=${root}`, "--default"];
    expect(await world.jibe("backup-location", "create", "default", ...location)).toMatchObject({ exitCode: 0 });
    await eventually(async () => (await world.jibe("backup-location", "get")).out.includes(" Available"), {
      timeoutMs: 40_000,
    });
  });
  afterAll(() => stack.disposeAsync());

  test("backs up, restores and shows both as the real one does", async () => {
    const backup = await world.jibe("backup", "create", "one", "--include-namespaces=shop", "--wait");
    expect({ ...backup, logs: backup.exitCode === 0 ? "" : logs() }).toMatchObject({ exitCode: 0 });
    const mapping = "--namespace-mappings=shop:copy";
    const restore = await world.jibe("restore", "create", "copy", "--from-backup=one", mapping, "--wait");
    expect(restore).toMatchObject({ exitCode: 0 });
    await world.jibe("schedule", "create", "nightly", "--schedule=@daily", "--include-namespaces=shop");
    for (const line of [
      "backup get",
      "backup describe one",
      "backup describe one --details",
      "backup logs one",
      "restore get",
      "restore describe copy",
      "restore describe copy --details",
      "restore logs copy",
      "schedule describe nightly",
      "backup-location get",
      "plugin get",
    ]) {
      const [theirs, ours] = [await world.velero(...line.split(" ")), await world.jibe(...line.split(" "))];
      expect({ line, out: comparable(ours.out) }).toEqual({ line, out: comparable(theirs.stdout) });
    }
  });

  test("makes the same objects as the real one", async () => {
    const create = [
      "backup",
      "create",
      "made",
      "--include-namespaces=a,b",
      "--exclude-resources=pods",
      "--ttl=2h",
      "-o",
      "json",
    ];
    const [theirs, ours] = [await world.velero(...create), await world.jibe(...create)];
    expect(JSON.parse(theirs.stdout)).toMatchObject(JSON.parse(ours.out));
  });

  test("follows a log, downloads an archive, and knows the server", async () => {
    await world.jibe("backup", "create", "two", "--include-namespaces=shop");
    const { out } = await world.jibe("backup", "logs", "two", "--follow");
    expect(out).toMatch(/backup=velero\/two/);
    const path = join(world.kubernetes.dir, "two.tar.gz");
    expect(await world.jibe("backup", "download", "two", "-o", path)).toMatchObject({ exitCode: 0 });
    expect(execFileSync("tar", ["tzf", path], { encoding: "utf8" })).toContain("namespaces/shop/settings.json");
    expect((await world.jibe("version")).out).toMatch(/Server:\s+Version: v1\.18\.3/);
  });

  test("pauses a schedule and deletes a backup", async () => {
    await world.jibe("schedule", "create", "weekly", "--schedule=@weekly");
    expect((await world.jibe("schedule", "pause", "weekly")).out).toContain("paused successfully");
    const ends: string[] = [];
    for (const name of ["doomed", "doomed-too", "doomed-at-last"]) {
      if (ends.at(-1) !== "deleted") ends.push(await endOfDeleted(name));
    }
    expect(ends.at(-1)).toBe("deleted");
  });

  // Velero may take a backup that has ended for one under way, and refuses its deletion from then on.
  async function endOfDeleted(name: string): Promise<"deleted" | "refused"> {
    await world.jibe("backup", "create", name, "--include-namespaces=shop", "--wait");
    expect(await world.jibe("backup", "delete", name, "--confirm")).toMatchObject({ exitCode: 0 });
    const kubectl = async (...args: string[]) =>
      (await world.kubernetes.kubectl(["get", "-n=velero", "-o=json", "--ignore-not-found", ...args])).stdout;
    let end: "deleted" | "refused" | undefined;
    await eventually(
      async () => {
        const requests = await kubectl("deletebackuprequests", `-l=velero.io/backup-name=${name}`);
        if ((await kubectl(`backup.velero.io/${name}`)) === "") end = "deleted";
        else if (requests.includes("still in progress")) end = "refused";
        return end !== undefined;
      },
      { timeoutMs: 30_000 },
    );
    return end as NonNullable<typeof end>;
  }
});
