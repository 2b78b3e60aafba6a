import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { eventually, type TempDir, type TestScope, tempDir, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes, startVelero, type Velero } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Resource {
  readonly metadata: { readonly annotations?: Record<string, string>; readonly labels?: Record<string, string> };
  readonly spec?: { readonly csi?: { readonly volumeHandle: string } };
  readonly status?: {
    readonly phase?: string;
    readonly [key: string]: unknown;
  };
}

const velerosNamespace = { namespace: "velero" };

describe("our example plugins under a real Velero server", { timeout: 240_000 }, () => {
  let stack: AsyncDisposableStack;
  let scope: TestScope;
  let kubernetes: Kubernetes;
  let velero: Velero;
  let store: TempDir;
  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    scope = testScope();
    kubernetes = stack.use(await startKubernetes({}, scope));
    store = stack.use(await tempDir("velero-store"));
    const plugins = stack.use(await tempDir("velero-plugins"));
    for (const name of ["small", "complete"]) {
      await symlink(join(import.meta.dirname, name, "plugin.ts"), join(plugins.path, `${name}.ts`));
    }
    await mkdir(join(store.path, "volumes/v1"), { recursive: true });
    for (const name of ["a", "b", "c", "d", "e"]) await writeFile(join(store.path, "volumes/v1", name), name);
    const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
    const env = { PATH: path, EXAMPLE_STATE_DIR: join(store.path, "state") };
    const flags = ["--item-operation-sync-frequency=1s", "--log-level=debug"];
    velero = stack.use(await startVelero({ kubernetes, pluginDir: plugins.path, env, flags }, scope));
    await kubernetes.apply(locations(store.path));
    await kubernetes.apply(shop());
    await kubernetes.kubectl(["patch", "pvc", "data", "-nshop", "--subresource=status", "-p", bound]);
    await kubernetes.kubectl(["patch", "pv", "pv-1", "--subresource=status", "-p", bound]);
  });
  afterAll(() => stack.disposeAsync());

  const get = async (type: string, name: string, namespace: string): Promise<Resource> => {
    const { stdout } = await kubernetes.kubectl(["get", type, name, "-n", namespace, "-o", "json"]);
    return JSON.parse(stdout) as Resource;
  };
  const ended = (type: string, name: string) =>
    eventually(
      async () => {
        const found = await get(type, name, "velero");
        const phase = found.status?.phase ?? "";
        return /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(phase) && found;
      },
      { timeoutMs: 120_000, intervalMs: 500 },
    );
  const stored = async (key: string) => gunzipSync(await readFile(join(store.path, "bucket", key))).toString();

  test("are listed, the snapshotter as version 1", async () => {
    const { stdout } = await velero.cli(["plugin", "get"]);
    const ours = stdout.split("\n").flatMap((line) => {
      const [name = "", kind] = line.split(/\s+/);
      return name.startsWith("example.io/") ? [`${name} ${kind}`] : [];
    });
    // Velero lists a version 1 action twice: once more as the version 2 that it adapts it to.
    expect([...new Set(ours)].sort()).toEqual([
      "example.io/archive BackupItemActionV2",
      "example.io/folder-store ObjectStore",
      "example.io/folder-volumes VolumeSnapshotter",
      "example.io/remember-origin BackupItemAction",
      "example.io/tell-origin RestoreItemAction",
      "example.io/unpack RestoreItemActionV2",
    ]);
  });

  test("back up: object store, actions of both versions, operations and a snapshot", async () => {
    await eventually(
      async () => (await get("backupstoragelocation", "default", "velero")).status?.phase === "Available",
      {
        timeoutMs: 60_000,
      },
    );
    await kubernetes.apply([resource("Backup", "daily", { includedNamespaces: ["shop"], storageLocation: "default" })]);
    const backup = await ended("backup", "daily");
    const log = await stored("backups/daily/daily-logs.gz");
    expect(backup.status, log).toMatchObject({
      phase: "Completed",
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
      volumeSnapshotsAttempted: 1,
      volumeSnapshotsCompleted: 1,
    });
    expect(log).toMatch(/level=info msg="origin remembered".*plugin=example.io\/remember-origin.*pluginName=small.ts/);
    expect(log).toMatch(/level=info msg="archiving started".*configMap=ConfigMap\/shop\/archived/);
    const [snapshot] = JSON.parse(await stored("backups/daily/daily-volumesnapshots.json.gz")) as {
      status: { providerSnapshotID: string };
    }[];
    // As version 1 the snapshot is complete once it has an ID, although the plugin copies it in steps.
    const copied = await readdir(join(store.path, "snapshots", snapshot?.status.providerSnapshotID ?? ""));
    expect(copied).toEqual(["a", "b", "c", "d", "e"]);
    const operations = JSON.parse(await stored("backups/daily/daily-itemoperations.json.gz")) as unknown[];
    expect(operations).toMatchObject([
      {
        spec: { operationID: "daily/shop/archived", backupItemAction: "example.io/archive" },
        status: { phase: "Completed", nCompleted: 3, nTotal: 3, operationUnits: "steps" },
      },
    ]);
  });

  test("restore: actions of both versions, operations, waiting, and a volume from the snapshot", async () => {
    await kubernetes.kubectl(["delete", "configmap,secret,pvc", "--all", "-nshop", "--wait=false"]);
    await kubernetes.kubectl(["patch", "pvc", "data", "-nshop", "-p", '{"metadata":{"finalizers":null}}']);
    await kubernetes.kubectl(["delete", "pv", "pv-1", "--wait=false"]);
    await kubernetes.kubectl(["patch", "pv", "pv-1", "-p", '{"metadata":{"finalizers":null}}']);
    await kubernetes.apply([resource("Restore", "again", { backupName: "daily", restorePVs: true })]);
    const restore = await ended("restore", "again");
    const log = await stored("restores/again/restore-again-logs.gz");
    expect(restore.status, log).toMatchObject({
      phase: "Completed",
      restoreItemOperationsAttempted: 1,
      restoreItemOperationsCompleted: 1,
    });
    const small = await get("configmap", "small", "shop");
    expect(small.metadata.annotations).toMatchObject({ "example.io/restored": "by again, from daily" });
    expect(log).toMatch(/msg="unpacking started".*plugin=example.io\/unpack/);
    const volume = await get("pv", "pv-1", "shop");
    const handle = volume.spec?.csi?.volumeHandle ?? "";
    expect(handle).toMatch(/^volume-/);
    expect(await readdir(join(store.path, "volumes", handle))).toEqual(["a", "b", "c", "d", "e"]);
  });
});

const bound = '{"status":{"phase":"Bound"}}';

function resource(kind: string, name: string, spec: object): object {
  return { apiVersion: "velero.io/v1", kind, metadata: { name, ...velerosNamespace }, spec };
}

function locations(root: string): object[] {
  const store = { provider: "example.io/folder-store", objectStorage: { bucket: "bucket" }, config: { root } };
  return [
    resource("BackupStorageLocation", "default", { ...store, default: true }),
    resource("VolumeSnapshotLocation", "default", { provider: "example.io/folder-volumes", config: { root } }),
  ];
}

function shop(): object[] {
  const inShop = (name: string, more: object = {}) => ({ name, namespace: "shop", ...more });
  const size = { storage: "1Gi" };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: inShop("small", { labels: { "example.io/small": "yes" } }) },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: inShop("archived", {
        labels: { "example.io/archive": "3" },
        annotations: { "example.io/needs-secret": "key" },
      }),
    },
    { apiVersion: "v1", kind: "Secret", metadata: inShop("key"), stringData: { word: "sesame" } },
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv-1" },
      spec: {
        capacity: size,
        accessModes: ["ReadWriteOnce"],
        storageClassName: "folders",
        csi: { driver: "folders.example.io", volumeHandle: "v1" },
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inShop("data") },
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: inShop("data"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "folders",
        volumeName: "pv-1",
        resources: { requests: size },
      },
    },
  ];
}
