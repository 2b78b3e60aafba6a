import { existsSync, readdirSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import { configMap, namespace } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld, type RunningServer } from "./product/product-world.ts";

const slug = (text: string) => text.replaceAll(/[^a-z]+/g, "-");

interface Case {
  readonly phase: "Completed" | "PartiallyFailed";
  /** What the plugin is told in the end. */
  readonly isCanceled?: true;
  /** What the results say about it. */
  readonly message?: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  "exits in execute": { phase: "PartiallyFailed", message: /example\.io\/chaos.*exited with status 3/s },
  "hangs in execute": { phase: "PartiallyFailed", message: /took longer than/ },
  "answers garbage": { phase: "PartiallyFailed", message: /example\.io\/chaos/ },
  "is slow": { phase: "Completed" },
  "is huge": { phase: "Completed" },
  "exits in progress": { phase: "Completed" },
  "hangs in progress": { phase: "PartiallyFailed", isCanceled: true, message: /timed out/ },
  "knows no such operation": { phase: "PartiallyFailed", message: /operation ID .* is invalid/ },
  "always answers an error": { phase: "PartiallyFailed", isCanceled: true, message: /boom/ },
  "goes backwards": { phase: "Completed" },
  "fails at last": { phase: "PartiallyFailed", message: /the disk broke/ },
  "never ends": { phase: "PartiallyFailed", isCanceled: true, message: /timed out/ },
  "never ends, and hangs in cancel": { phase: "PartiallyFailed", isCanceled: true, message: /timed out/ },
};

/** Every case has ended by then, whatever the plugin does. */
const boundMs = 90_000;

describe("a plugin that misbehaves", { timeout: 180_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  let startedMs: number;
  beforeAll(async () => {
    world = await ProductWorld.start();
    await symlink(join(import.meta.dirname, "operations", "chaos-plugin.ts"), join(world.dir, "plugins", "chaos"));
    server = await world.startServer({ flags: ["--plugin-execute-timeout=4s", "--plugin-call-timeout=4s"] });
    await world.addLocation();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    startedMs = systemClock.monotonicMs();
    for (const name of Object.keys(cases)) await begin(name);
  }, 120_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  }, 60_000);

  async function begin(name: string): Promise<void> {
    const place = slug(name);
    await world.create(coreTypes.namespace, namespace(place));
    await world.create(coreTypes.configMap, configMap("victim", { namespace: place, labels: { chaos: place } }));
    await world.create(coreTypes.configMap, configMap("bystander", { namespace: place }));
    await world.create(veleroTypes.backup, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: place, namespace: "velero" },
      spec: { includedNamespaces: [place], itemOperationTimeout: "6s" },
    });
  }

  for (const [name, { phase, isCanceled, message }] of Object.entries(cases)) {
    test(`${name}: the backup is ${phase} in bounded time`, async () => {
      const ended = await world.untilEnded("backup", slug(name), boundMs);
      expect(ended.status?.["phase"], JSON.stringify(ended.status)).toBe(phase);
      expect(systemClock.monotonicMs() - startedMs).toBeLessThan(boundMs);
      const described = await world.jibe("backup", "describe", slug(name), "--details");
      expect(described.out).toContain(`${slug(name)}/bystander`);
      const log = await world.jibe("backup", "logs", slug(name));
      if (message) expect(log.out).toMatch(message);
      const canceled = readdirSync(join(world.dir, "held")).filter((file) =>
        file.startsWith(`chaos-canceled-${slug(name)}.`),
      );
      expect(canceled.length > 0).toBe(isCanceled ?? false);
      expect(existsSync(join(world.dir, "store", "bucket", "backups", slug(name), `${slug(name)}.tar.gz`))).toBe(true);
    });
  }

  test("leaves a server that works on", async () => {
    await world.deployShop();
    const { exitCode } = await world.jibe("backup", "create", "after", "--include-namespaces=shop", "--wait");
    expect(exitCode).toBe(0);
  });
});
