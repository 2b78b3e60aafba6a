import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { eventually, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CapturedProcess } from "../../e2e/product/captured-process.ts";
import { RealWorld, shop, takesWork } from "./real-world.ts";
import { comparable } from "./same-text.ts";

describe("the real velero command line on our server", () => {
  const scope = testScope();
  let world: RealWorld;
  let server: CapturedProcess;
  beforeAll(async () => {
    world = await RealWorld.start({}, scope);
    await world.install();
    await world.kubernetes.apply(shop);
    server = world.server("--allow-other-server");
    await takesWork(server);
    await eventually(async () => (await world.jibe("backup-location", "get")).out.includes("Available"));
    await world.velero("backup", "create", "one", "--include-namespaces=shop", "--wait");
    await world.velero("backup", "create", "partial", "--include-namespaces=shop,gone", "--wait");
    const rich = ["--include-resources=configmaps,secrets", "--selector=app=x", "--ordered-resources=pods=a/b"];
    await world.velero("backup", "create", "rich", ...rich, "--labels=a=b", "--parallel-files-upload=3", "--wait");
    await world.velero("backup", "create", "invalid", "--resource-policies-configmap=none", "--wait");
    await world.velero("restore", "create", "copy", "--from-backup=one", "--namespace-mappings=shop:copy", "--wait");
    await world.velero("restore", "create", "again", "--from-backup=one", "--write-sparse-files", "--wait");
    await world.velero(
      "restore",
      "create",
      "finer",
      "--from-backup=one",
      "--resource-policies-configmap=none",
      "--wait",
    );
    await world.velero("schedule", "create", "nightly", "--schedule=@daily", "--ttl=24h");
    await world.velero("schedule", "create", "wrong", "--schedule=never");
    await eventually(async () => /Enabled(.|\n)*FailedValidation/.test((await world.jibe("schedule", "get")).out));
  });
  afterAll(async () => {
    server?.interrupt();
    await server?.ended;
    await world?.[Symbol.asyncDispose]();
  });

  const same = [
    "backup get",
    "backup get one partial",
    "get backups -l a=b --show-labels",
    "backup get -L a",
    "backup describe one",
    "backup describe one --details",
    "backup describe partial",
    "backup describe rich",
    "backup describe invalid",
    "backup logs one",
    "restore get",
    "restore describe copy",
    "restore describe copy --details",
    "restore describe again",
    "restore describe finer",
    "restore logs copy",
    "schedule get",
    "schedule describe nightly",
    "schedule describe wrong",
    "backup-location get",
    "snapshot-location get",
    "plugin get",
    "repo get",
  ];
  for (const line of same) {
    test(`${line} prints what ours prints`, async () => {
      const [theirs, ours] = [await world.velero(...line.split(" ")), await world.jibe(...line.split(" "))];
      expect(theirs.exitCode).toBe(0);
      expect(ours.exitCode).toBe(0);
      expect(comparable(ours.out)).toBe(comparable(theirs.stdout));
      expect(theirs.stdout).not.toContain("<error");
    });
  }

  const sameJson = [
    "backup describe one -o json",
    "backup describe rich -o json",
    "backup get -o json",
    "backup get one -o json",
  ];
  for (const line of sameJson) {
    test(`${line} prints the same document as ours`, async () => {
      const [theirs, ours] = [await world.velero(...line.split(" ")), await world.jibe(...line.split(" "))];
      expect(withoutListMetadata(JSON.parse(ours.out))).toEqual(withoutListMetadata(JSON.parse(theirs.stdout)));
    });
  }

  test("downloads an archive", async () => {
    const path = join(world.kubernetes.dir, "one.tar.gz");
    expect(await world.velero("backup", "download", "one", "-o", path)).toMatchObject({ exitCode: 0 });
    const names = execFileSync("tar", ["tzf", path], { encoding: "utf8" });
    expect(names).toContain("resources/configmaps/namespaces/shop/settings.json");
  });

  test("makes a backup from a schedule, pauses and unpauses it", async () => {
    const made = await world.velero("backup", "create", "--from-schedule", "nightly", "--wait");
    expect(made.stdout).toContain("Completed");
    expect((await world.velero("schedule", "pause", "nightly")).stdout).toContain("paused successfully");
    expect((await world.velero("schedule", "unpause", "nightly")).stdout).toContain("unpaused successfully");
  });

  test("adds and changes locations", async () => {
    const flags = ["--provider=jibe.io/filesystem", "--bucket=other", `--config=root=${world.kubernetes.dir}/other`];
    expect(await world.velero("backup-location", "create", "other", ...flags)).toMatchObject({ exitCode: 0 });
    await eventually(async () => /other .*Available/.test((await world.velero("backup-location", "get")).stdout));
    expect(await world.velero("backup-location", "delete", "other", "--confirm")).toMatchObject({ exitCode: 0 });
  });

  test("tells the server's version", async () => {
    expect((await world.velero("version")).stdout).toMatch(/Server:\s+Version: v0\.1\.0/);
  });

  test("deletes a backup and what was restored from it", async () => {
    await world.velero("backup", "create", "doomed", "--include-namespaces=shop", "--wait");
    await world.velero("restore", "create", "doomed", "--from-backup=doomed", "--wait");
    expect((await world.velero("backup", "delete", "doomed", "--confirm")).exitCode).toBe(0);
    await eventually(async () => !(await world.velero("backup", "get")).stdout.includes("doomed"), {
      timeoutMs: 20_000,
    });
    expect((await world.velero("restore", "get")).stdout).not.toContain("doomed");
  });
});

/** Velero adds the list's version, and a null that no server stores; ours prints what the server has. */
function withoutListMetadata(document: Record<string, unknown>): unknown {
  const stored = JSON.parse(JSON.stringify(document, (key, value) => (key === "apiGroup" ? undefined : value)));
  return Array.isArray(stored.items) ? { ...stored, metadata: {} } : stored;
}
