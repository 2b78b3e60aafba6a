import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { eventually, namespace, secret } from "@jibe/testkit";
import { expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld, patiently } from "./product/product-world.ts";

const value = "hush-4f1c9a7d2b";

/** Whether a text gives the value away, as it is or as Kubernetes writes it. */
const tells = (text: string) => text.includes(value) || text.includes(Buffer.from(value).toString("base64"));

test("what a Secret holds is in the archive and nowhere else", { timeout: 180_000 }, async () => {
  await using world = await ProductWorld.start({ namespaces: ["velero"] });
  await using server = await world.startServer({ flags: ["--log-level=debug"] });
  await world.addLocation();
  await world.create(coreTypes.namespace, namespace("shop"));
  const held = { ...secret("login", { namespace: "shop" }), data: { password: Buffer.from(value).toString("base64") } };
  await world.create(coreTypes.secret, held);
  await world.untilPhase("backupStorageLocation", "default", ["Available"]);
  await world.jibe("backup", "create", "all", "--include-namespaces=shop", "--wait");
  await world.jibe("restore", "create", "again", "--from-backup=all", "--namespace-mappings=shop:copy", "--wait");

  const commands = ["describe all --details", "describe all --details -o json", "logs all"].map(
    (line) => `backup ${line}`,
  );
  commands.push("restore describe again --details", "restore logs again", "backup get -o json", "restore get -o yaml");
  for (const line of commands) {
    const { exitCode, out, err } = await world.jibe(...line.split(" "));
    expect({ line, exitCode, tells: tells(out + err) }).toEqual({ line, exitCode: 0, tells: false });
  }
  expect(tells(server.log())).toBe(false);
  const telling = storedFiles(world.dir).filter((file) => tells(contentOf(file).toString("latin1")));
  expect(telling.map((file) => file.slice(file.lastIndexOf("/") + 1))).toEqual(["all.tar.gz"]);
});

test("the Secrets that answer a download go with its request", { timeout: 120_000 }, async () => {
  await using world = await ProductWorld.start({ namespaces: ["velero"], simulateWorkloads: true });
  await using _server = await world.startServer();
  await world.addLocation();
  await world.untilPhase("backupStorageLocation", "default", ["Available"]);
  await world.jibe("backup", "create", "all", "--include-namespaces=default", "--wait");
  const place = { namespace: "velero", name: "by-hand" };
  const object = {
    apiVersion: "velero.io/v1",
    kind: "DownloadRequest",
    metadata: { ...place, annotations: { "jibe.io/inline": "true" } },
    spec: { target: { kind: "BackupLog", name: "all" } },
  };
  await world.create(veleroTypes.downloadRequest, object);
  await world.untilPhase("downloadRequest", "by-hand", ["Processed"]);
  const answers = async () => {
    const options = { namespace: "velero", labelSelector: "jibe.io/download-request" };
    return (await world.client.list(coreTypes.secret, options, world.scope)).items.length;
  };
  expect(await answers()).toBe(1);
  await world.client.delete(veleroTypes.downloadRequest, place, world.scope);
  await eventually(async () => (await answers()) === 0, patiently);
});

const storedFiles = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\/(backups|restores)\//.test(`${entry.parentPath}/`))
    .map((entry) => join(entry.parentPath, entry.name));

const contentOf = (file: string) => (file.endsWith(".gz") ? gunzipSync(readFileSync(file)) : readFileSync(file));
