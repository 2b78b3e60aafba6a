import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { configMap, eventually, namespace } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld, patiently, takesWork } from "./product/product-world.ts";

describe("servers of one namespace", { timeout: 90_000 }, () => {
  test("stand by while another leads, and take over when it is stopped", async () => {
    await using world = await ProductWorld.start();
    await world.addLocation();
    await world.deployShop();
    await using first = await world.startServer();
    await using second = world.beginServer({ flags: ["--allow-other-server"] });
    await eventually(() => second.log().includes("waiting for a lease"), { timeoutMs: 60_000 });
    expect((await world.jibe("backup", "create", "one", "--include-namespaces=shop", "--wait")).exitCode).toBe(0);
    expect(second.log()).not.toContain("server takes work");
    expect(await first.stop()).toMatchObject({ exitCode: 0 });
    await takesWork(second);
    expect((await world.jibe("backup", "create", "two", "--include-namespaces=shop", "--wait")).exitCode).toBe(0);
    expect(second.log()).toContain("backup=velero/two");
  });

  test("go on with a backup whose server was stopped while it ran", async () => {
    await using world = await ProductWorld.start();
    await world.addLocation();
    await world.deployHeld("held", "execute");
    const first = await world.startServer();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    await world.jibe("backup", "create", "held", "--include-namespaces=held");
    await eventually(() => existsSync(world.held("reached-held")), patiently);
    await first.stop();
    expect(await world.find("backup", "held")).toMatchObject({ status: { phase: "InProgress" } });
    await world.release("held");
    await using second = await world.startServer();
    const { metadata, status } = await world.untilPhase("backup", "held", ["Completed"]);
    expect(metadata.annotations).toMatchObject({ "jibe.io/run-attempt": "2" });
    expect(status).toMatchObject({ progress: { itemsBackedUp: expect.any(Number) } });
    expect(second.log()).toContain("backup is run again after its server ended");
  });

  test("go on waiting for the operations of a backup whose server was stopped", async () => {
    await using world = await ProductWorld.start();
    await world.addLocation();
    await world.deployHeld("held", "operation");
    const first = await world.startServer();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    await world.jibe("backup", "create", "held", "--include-namespaces=held");
    await world.untilPhase("backup", "held", ["WaitingForPluginOperations"]);
    await first.stop();
    await using _second = await world.startServer();
    await world.release("held");
    expect(await world.untilPhase("backup", "held", ["Completed"])).toMatchObject({
      status: { backupItemOperationsCompleted: 1 },
    });
  });

  test("go on with a restore whose server was stopped while it ran", async () => {
    await using world = await ProductWorld.start();
    await world.addLocation();
    await world.deployHeld("held", "execute");
    await world.release("held");
    const first = await world.startServer();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    await world.jibe("backup", "create", "held", "--include-namespaces=held", "--wait");
    await world.retain("held");
    await world.jibe("restore", "create", "back", "--from-backup=held", "--namespace-mappings=held:other");
    await eventually(() => existsSync(world.held("reached-held")), patiently);
    await first.stop();
    await world.release("held");
    await using _second = await world.startServer();
    await world.untilPhase("restore", "back", ["Completed"]);
  });

  test("say once what is missing, and take work when it is there", async () => {
    await using world = await ProductWorld.start({ definitions: [], namespaces: [] });
    await using server = world.beginServer({ flags: ["--allow-other-server"] });
    await eventually(() => server.log().includes('namespace \\"velero\\" does not exist'), { timeoutMs: 60_000 });
    expect(await server.get("/readyz")).toMatchObject({ status: 503, text: expect.stringContaining("does not exist") });
    expect(await server.get("/livez")).toMatchObject({ status: 200 });
    await world.create(coreTypes.namespace, namespace("velero"));
    await eventually(() => server.log().includes("backups.velero.io is not defined: run"), { timeoutMs: 60_000 });
    expect(await world.jibe("install", "--crds-only")).toMatchObject({ exitCode: 0, err: "" });
    await takesWork(server);
    expect(await server.get("/readyz")).toMatchObject({ status: 200, text: "ok\n" });
    expect(server.log().match(/does not exist/g)).toHaveLength(1);
    expect(server.log()).toContain("no default backup storage location");
  });

  test("keep their metrics to those with a token when told to", async () => {
    await using world = await ProductWorld.start();
    await using server = await world.startServer({ flags: ["--secure-metrics", "--log-level=trace"] });
    expect(await server.get("/metrics")).toMatchObject({ status: 401, text: "a bearer token is needed\n" });
    expect(await server.get("/metrics", "a-token")).toMatchObject({
      status: 200,
      text: expect.stringContaining("velero_backup_total"),
    });
    expect(await server.get("/healthz")).toMatchObject({ status: 200 });
  });

  test("hold every backup to the volume policies they were given, and name them", async () => {
    await using world = await ProductWorld.start();
    await using server = await world.startServer({ flags: ["--global-backup-volume-policies-configmap=shared"] });
    await world.addLocation();
    await world.deployShop();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    const create = (name: string) => world.jibe("backup", "create", name, "--include-namespaces=shop", "--wait");
    await create("without");
    expect((await world.jibe("backup", "describe", "without")).out).toContain(
      "fail to get global backup volume policies ConfigMap velero/shared",
    );
    const data = { policies: "version: v1\nvolumePolicies: []\n" };
    await world.create(coreTypes.configMap, configMap("shared", { namespace: "velero", data }));
    expect({ ...(await create("with")), log: server.log() }).toMatchObject({ exitCode: 0 });
    expect((await world.jibe("backup", "describe", "with")).out).toMatch(
      /Global volume policies:\n {2}Type: +configmap\n {2}Name: +shared/,
    );
  });

  test("take nothing while a server without a lease answers, and say which", async () => {
    await using world = await ProductWorld.start();
    const answering = answerStatusRequests(world);
    await using server = world.beginServer();
    await eventually(() => server.log().includes("another server answers in this namespace"), { timeoutMs: 60_000 });
    expect(server.log()).toContain("otherServer=v1.18.3");
    expect(server.log()).not.toContain("server takes work");
    expect(await server.get("/readyz")).toMatchObject({ status: 503, text: expect.stringContaining("v1.18.3") });
    await answering.stop();
    await takesWork(server);
  });
});

describe("a store shared by clusters", { timeout: 90_000 }, () => {
  test("brings backups of one cluster to another, and takes them away when they are deleted", async () => {
    await using source = await ProductWorld.start();
    await using target = await ProductWorld.start({ namespaces: ["velero", "elsewhere"] });
    const root = join(source.dir, "store");
    await source.addLocation();
    await source.deployShop();
    await target.addLocation({ root, inNamespace: "elsewhere" });
    await using _first = await source.startServer();
    await using _second = await target.startServer({ namespace: "elsewhere" });
    await source.untilPhase("backupStorageLocation", "default", ["Available"]);
    await source.jibe("backup", "create", "moved", "--include-namespaces=shop", "--wait");
    const moved = await target.untilPhase("backup", "moved", ["Completed"], "elsewhere");
    expect(moved.metadata.labels).toMatchObject({ "velero.io/storage-location": "default" });
    const restore = await target.jibe("restore", "create", "--from-backup=moved", "--wait", "-n", "elsewhere");
    expect(restore).toMatchObject({ exitCode: 0 });
    await source.jibe("backup", "delete", "moved", "--confirm");
    await eventually(async () => (await target.find("backup", "moved", "elsewhere")) === undefined, {
      timeoutMs: 60_000,
    });
  });
});

describe("what others left in a store", { timeout: 90_000 }, () => {
  const put = async (world: ProductWorld, name: string, backup: object, volumes: readonly object[] = []) => {
    const folder = join(world.dir, "store", "bucket", "backups", name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}-podvolumebackups.json.gz`), gzipSync(JSON.stringify(volumes)));
    const metadata = { name, namespace: "velero" };
    const object = { apiVersion: "velero.io/v1", kind: "Backup", metadata, spec: {}, ...backup };
    await writeFile(join(folder, "velero-backup.json"), JSON.stringify(object));
  };
  const volume = (name: string, backup: string) => ({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      name,
      namespace: "velero",
      labels: { "velero.io/backup-name": backup, "velero.io/backup-uid": "theirs" },
      ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Backup", name: backup, uid: "theirs" }],
    },
    spec: { node: "n", pod: {}, volume: "data", backupStorageLocation: "x", repoIdentifier: "r" },
    status: { phase: "Completed" },
  });

  test("is taken in with its pod volume backups, also where a server died in between, and is never run", async () => {
    await using world = await ProductWorld.start();
    await world.addLocation();
    const completed = { status: { phase: "Completed" } };
    await put(world, "theirs", completed, [volume("theirs-1", "theirs"), volume("theirs-2", "theirs")]);
    await put(world, "half", completed, [volume("half-1", "half")]);
    await put(world, "planted", { status: { phase: "New" } });
    await put(world, "false-name", { ...completed, metadata: { name: "theirs", namespace: "velero" } });
    const half = {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: "half", namespace: "velero", annotations: { "jibe.io/half-taken-in": "true" } },
      spec: { storageLocation: "default" },
      ...completed,
    };
    await world.create(veleroTypes.backup, half);
    await using _server = await world.startServer();
    const theirs = await world.untilPhase("backup", "theirs", ["Completed"]);
    const owned = await eventually(async () => {
      const volumes = await world.list("podVolumeBackup");
      return volumes.length === 3 ? volumes : undefined;
    }, patiently);
    expect(owned.map(({ metadata }) => metadata.name).sort()).toEqual(["half-1", "theirs-1", "theirs-2"]);
    const [first] = owned.filter(({ metadata }) => metadata.name === "theirs-1");
    expect(first?.metadata.ownerReferences).toMatchObject([{ name: "theirs", uid: theirs.metadata.uid }]);
    await eventually(
      async () =>
        (await world.list("backup")).every(({ metadata }) => !metadata.annotations?.["jibe.io/half-taken-in"]),
      patiently,
    );
    const names = (await world.list("backup")).map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(["half", "theirs"]);
  });
});

/** Plays a Velero: answers every status request, and knows nothing of leases. */
function answerStatusRequests(world: ProductWorld) {
  const stopping = new AbortController();
  const status = { phase: "Processed", serverVersion: "v1.18.3", processedTimestamp: "2026-01-01T00:00:00Z" };
  const run = async () => {
    const scope = { ...world.scope, signal: stopping.signal };
    const options = { namespace: "velero" };
    for await (const { type, object } of world.client.watch(veleroTypes.serverStatusRequest, options, scope)) {
      if (type !== "ADDED") continue;
      const patch = {
        namespace: "velero",
        name: object.metadata.name,
        patch: { status },
        contentType: "merge",
      } as const;
      await world.client.patch(veleroTypes.serverStatusRequest, patch, world.scope);
    }
  };
  const ended = run().catch(() => {}); // being stopped
  return {
    stop: async () => {
      stopping.abort(new Error("enough"));
      await ended;
    },
  };
}
