import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@jibe/testkit";
import { expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld, type VeleroKind } from "./product/product-world.ts";

const timeout = 90_000;
const object = (kind: string, name: string, rest: object) => ({
  apiVersion: "velero.io/v1",
  kind,
  metadata: { name, namespace: "velero" },
  ...rest,
});

/** A world that had a server, with finished backups in it. */
async function worldWithBackups(...names: string[]): Promise<ProductWorld> {
  const world = await ProductWorld.start();
  await world.addLocation();
  await world.deployShop();
  await using _server = await world.startServer();
  await world.untilPhase("backupStorageLocation", "default", ["Available"]);
  for (const name of names) await world.jibe("backup", "create", name, "--include-namespaces=shop", "--wait");
  return world;
}

test("what was asked for while no server ran is done once one starts, whatever is asked", { timeout }, async () => {
  await using world = await worldWithBackups("base", "doomed", "expired");
  const target = (kind: string) => ({ spec: { target: { kind, name: "base" } } });
  const expiration = { patch: { status: { expiration: "2020-01-01T00:00:00Z" } }, contentType: "merge" } as const;
  const place = { namespace: "velero" };
  await world.client.patch(veleroTypes.backup, { ...place, name: "expired", ...expiration }, world.scope);
  await world.create(
    veleroTypes.deleteBackupRequest,
    object("DeleteBackupRequest", "d", { spec: { backupName: "doomed" } }),
  );
  await world.create(veleroTypes.downloadRequest, object("DownloadRequest", "log", target("BackupLog")));
  await world.create(veleroTypes.serverStatusRequest, object("ServerStatusRequest", "status", { spec: {} }));
  const ready = {
    spec: { includedNamespaces: ["shop"], storageLocation: "default" },
    status: { phase: "ReadyToStart" },
  };
  await world.create(veleroTypes.backup, object("Backup", "taken", ready));
  const mapping = { spec: { backupName: "base", namespaceMapping: { shop: "copy" } } };
  await world.create(veleroTypes.restore, object("Restore", "back", mapping));
  const template = { includedNamespaces: ["shop"] };
  await world.create(veleroTypes.schedule, object("Schedule", "often", { spec: { schedule: "@every 1s", template } }));

  await using _server = await world.startServer();
  await world.untilEnded("backup", "taken");
  await world.untilPhase("backup", "taken", ["Completed"]);
  await world.untilEnded("restore", "back");
  await world.untilPhase("downloadRequest", "log", ["Processed"]);
  await world.untilPhase("serverStatusRequest", "status", ["Processed"]);
  const names = async () => (await world.list("backup")).map(({ metadata }) => metadata.name);
  await eventually(async () => (await names()).some((name) => name.startsWith("often-")), { timeoutMs: 60_000 });
  await eventually(async () => !(await names()).some((name) => name === "doomed" || name === "expired"), {
    timeoutMs: 60_000,
  });
  const settings = { namespace: "copy", name: "settings" };
  expect(await world.client.get(coreTypes.configMap, settings, world.scope)).toBeDefined();
});

test("a server that starts again, and is told of everything twice, changes nothing that is done", {
  timeout,
}, async () => {
  await using world = await worldWithBackups("one", "two");
  const kinds: readonly VeleroKind[] = ["backup", "restore", "schedule", "deleteBackupRequest"];
  const state = async () => {
    const lists = await Promise.all(kinds.map((kind) => world.list(kind)));
    const files = await readdir(join(world.dir, "store"), { recursive: true });
    const objects = lists.flat().map(({ metadata, status }) => ({ name: metadata.name, uid: metadata.uid, status }));
    return { objects, files: files.sort() };
  };
  {
    await using _server = await world.startServer();
    await world.jibe("restore", "create", "back", "--from-backup=one", "--namespace-mappings=shop:copy", "--wait");
    await world.jibe("schedule", "create", "yearly", "--schedule=@yearly", "--skip-immediately");
    await eventually(async () => (await world.find("schedule", "yearly"))?.status?.["lastSkipped"], {
      timeoutMs: 60_000,
    });
  }
  const before = await state();
  for (const round of ["first", "second"]) {
    await using _server = await world.startServer();
    for (const kind of kinds) {
      for (const { metadata } of await world.list(kind)) {
        const patch = { metadata: { labels: { touched: round } } };
        const request = { namespace: "velero", name: metadata.name, patch, contentType: "merge" } as const;
        await world.client.patch(veleroTypes[kind], request, world.scope);
      }
    }
    // By the time that the server has answered these it has looked at all of the above.
    expect(await world.jibe("version")).toMatchObject({ out: expect.stringContaining("Server:") });
    await world.jibe("backup", "describe", "two", "--details");
  }
  expect(await state()).toEqual(before);
});
