import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { systemClock } from "@jibe/base";
import { isEnded } from "@jibe/engine";
import { connectCluster, type KubeClient, type KubeObject } from "@jibe/kube";
import { startSandbox } from "@jibe/sandbox";
import { configMap, eventually, namespace, secret, type TestScope, tempDir, testScope } from "@jibe/testkit";
import { coreTypes, veleroTypes } from "../../../packages/jibe/src/api/index.ts";
import { customResourceDefinitions } from "../../../packages/jibe/src/crds/index.ts";
import { type BreakableLine, breakableLine } from "./breakable-line.ts";
import type { Arm, Told } from "./kill-server.ts";

const serverProgram = join(import.meta.dirname, "kill-server.ts");
const pluginProgram = join(import.meta.dirname, "operations-plugin.ts");
const core = (kind: string, resource: string, namespaced: boolean) => ({
  ...coreTypes.pod,
  kind,
  resource,
  namespaced,
});
const types = {
  volume: core("PersistentVolume", "persistentvolumes", false),
  claim: core("PersistentVolumeClaim", "persistentvolumeclaims", true),
  definition: {
    ...coreTypes.pod,
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    resource: "customresourcedefinitions",
    namespaced: false,
  },
} as const;

type Status = Readonly<Record<string, unknown>>;
type Found = KubeObject & { readonly status?: Status };

/** How a backup and its restore ended, with how often their server was killed meanwhile. */
export interface KilledRun {
  readonly kills: number;
  readonly backup: Status;
  readonly restore: Status;
  /** IDs of operations and snapshots that were saved when the server was killed. */
  readonly savedAtKill: readonly string[];
}

/** A cluster and a store that outlive the servers that are killed on them. */
export class KillWorld implements AsyncDisposable {
  readonly dir: string;
  readonly client: KubeClient;
  /** The servers' way to the cluster; the test has its own. */
  readonly line: BreakableLine;
  /** More flags of the servers that are started from now on. */
  flags: readonly string[] = [];
  readonly #scope: TestScope;
  readonly #stack: AsyncDisposableStack;
  #server: ChildProcess | undefined;

  private constructor(
    parts: { dir: string; client: KubeClient; scope: TestScope; line: BreakableLine },
    stack: AsyncDisposableStack,
  ) {
    this.line = parts.line;
    this.dir = parts.dir;
    this.client = parts.client;
    this.#scope = parts.scope;
    this.#stack = stack;
    stack.defer(() => this.#endServer());
  }

  static async start(): Promise<KillWorld> {
    await using stack = new AsyncDisposableStack();
    const { path: dir } = stack.use(await tempDir("kill"));
    const scope = testScope();
    const sandbox = stack.use(await startSandbox({ simulateWorkloads: true }));
    const { port } = new URL(sandbox.url);
    const line = stack.use(await breakableLine(Number(port)));
    await writeFile(join(dir, "own-kubeconfig"), sandbox.kubeconfig());
    await writeFile(join(dir, "kubeconfig"), sandbox.kubeconfig().replaceAll(`:${port}`, `:${line.port}`));
    for (const name of ["plugins", "operations", "scratch", "store/bucket", "snapshots", "restored", "data"]) {
      await mkdir(join(dir, name), { recursive: true });
    }
    await symlink(pluginProgram, join(dir, "plugins", "operations"));
    await writeFile(join(dir, "data", "rows"), Buffer.alloc(200_000, "row"));
    const client = stack.use(await connectCluster({ env: {}, kubeconfig: join(dir, "own-kubeconfig") }, scope));
    const world = new KillWorld({ dir, client, scope, line }, stack.move());
    await world.#populate();
    return world;
  }

  async #populate(): Promise<void> {
    for (const definition of customResourceDefinitions()) await this.#create(types.definition, definition);
    await this.#create(coreTypes.namespace, namespace("velero"));
    await this.#create(coreTypes.namespace, namespace("shop"));
    const operation = { namespace: "shop", labels: { operation: "yes" } };
    await this.#create(coreTypes.configMap, configMap("plain", { namespace: "shop" }));
    for (const name of ["first", "second"]) await this.#create(coreTypes.configMap, configMap(name, operation));
    await this.#create(coreTypes.secret, secret("key", { namespace: "shop" }));
    const size = { storage: "1Mi" };
    const access = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    await this.#create(types.volume, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "data" },
      spec: { ...access, capacity: size, hostPath: { path: join(this.dir, "data") } },
    });
    await this.#create(types.claim, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "shop" },
      spec: { ...access, volumeName: "data", resources: { requests: size } },
    });
    const root = join(this.dir, "store");
    const storage = {
      provider: "jibe.io/filesystem",
      default: true,
      objectStorage: { bucket: "bucket" },
      config: { root },
    };
    await this.#velero("BackupStorageLocation", "default", storage);
    const config = { root: join(this.dir, "snapshots"), volumes: join(this.dir, "restored") };
    await this.#velero("VolumeSnapshotLocation", "local", { provider: "jibe.io/local-volume", config });
    await eventually(async () => (await this.#find(types.claim, "shop", "data"))?.status?.["phase"] === "Bound");
  }

  /** Runs a backup and a restore of it; a server that ends meanwhile is followed by another. */
  async run(id: number, arm: Arm, onReached: () => void = () => {}): Promise<KilledRun> {
    const [backupName, restoreName] = [`b${id}`, `r${id}`];
    const server = await this.#runningServer();
    const hear = (message: Told) => {
      if ("reached" in message && message.reached === arm.point) onReached();
    };
    server.on("message", hear);
    using _listening = { [Symbol.dispose]: () => void server.off("message", hear) };
    server.send(arm);
    let [kills, savedAtKill]: [number, string[]] = [0, []];
    const ended = async (type: (typeof veleroTypes)["backup"], name: string): Promise<Status> =>
      eventually(
        async () => {
          if (this.#server?.exitCode !== null || this.#server.signalCode !== null) {
            kills++;
            savedAtKill = await this.#saved(id);
            await this.#runningServer();
          }
          const status = (await this.#find(type, "velero", name))?.status;
          if (status && isEnded(String(status["phase"]))) return status;
          throw new Error(`${name} has not ended: ${JSON.stringify(status)}`);
        },
        { timeoutMs: 120_000, intervalMs: 100 },
      );
    const itemOperationTimeout = "5m0s";
    await this.#velero("Backup", backupName, { includedNamespaces: ["shop"], itemOperationTimeout });
    const backup = await ended(veleroTypes.backup, backupName);
    const namespaceMapping = { shop: `copy${id}` };
    await this.#velero("Restore", restoreName, { backupName, namespaceMapping, itemOperationTimeout });
    const restore = await ended(veleroTypes.restore, restoreName);
    return { kills, backup, restore, savedAtKill };
  }

  /** How often each point was passed since the server was armed. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const server = await this.#runningServer();
    const told = this.#next(server, (message) => "counts" in message);
    server.send("count");
    const message = await told;
    return "counts" in message ? message.counts : {};
  }

  /** What is wrong after a run, if anything is. */
  async faults(id: number, { backup, restore, savedAtKill }: KilledRun): Promise<string[]> {
    const found: string[] = [];
    if (backup["phase"] !== "Completed") found.push(`the backup is ${JSON.stringify(backup)}`);
    if (restore["phase"] !== "Completed") found.push(`the restore is ${JSON.stringify(restore)}`);
    const files = new Set(await readdir(join(this.dir, "operations")));
    const snapshots = new Set(await readdir(join(this.dir, "snapshots")));
    const kept = new Set(await this.#saved(id));
    for (const saved of savedAtKill) {
      const isSnapshot = saved.startsWith("snap-");
      if (isSnapshot && snapshots.has(saved) && !kept.has(saved)) found.push(`snapshot ${saved} was left behind`);
      if (!isSnapshot && !files.has(`${saved}.done`) && !files.has(`${saved}.canceled`))
        found.push(`operation ${saved} was left running`);
    }
    return [...found, ...(await this.#contentFaults(id)), ...(await this.#ledgerFaults(id))];
  }

  async #contentFaults(id: number): Promise<string[]> {
    const target = `copy${id}`;
    const found: string[] = [];
    for (const [type, name] of [
      [coreTypes.configMap, "plain"],
      [coreTypes.configMap, "first"],
      [coreTypes.configMap, "second"],
      [coreTypes.secret, "key"],
    ] as const) {
      const [from, to] = [await this.#find(type, "shop", name), await this.#find(type, target, name)];
      if (JSON.stringify(from?.["data"]) !== JSON.stringify(to?.["data"])) found.push(`${name} was not restored`);
    }
    const { items } = await this.client.list(types.volume, {}, this.#scope);
    const volumes = (items as unknown as Found[]).filter(
      ({ spec }) => (spec as { claimRef?: { namespace?: string } }).claimRef?.namespace === target,
    );
    if (volumes.length !== 1) found.push(`${volumes.length} volumes were restored`);
    const pathOf = (volume: Found | undefined) =>
      (volume?.["spec"] as { hostPath?: { path?: string } } | undefined)?.hostPath?.path ?? "";
    const path = pathOf(volumes[0]);
    const used = new Set((items as unknown as Found[]).map(pathOf));
    for (const name of await readdir(join(this.dir, "restored"))) {
      if (!used.has(join(this.dir, "restored", name))) found.push(`volume ${name} was made and is not used`);
    }
    const [before, after] = await Promise.all(
      [join(this.dir, "data"), path].map((folder) => readFile(join(folder, "rows")).catch(() => Buffer.alloc(0))),
    );
    if (!before?.equals(after ?? Buffer.alloc(0))) found.push("the volume's content differs");
    return found;
  }

  async #ledgerFaults(id: number): Promise<string[]> {
    const found: string[] = [];
    for (const key of [`backups/b${id}/b${id}`, `restores/r${id}/restore-r${id}`]) {
      const lines = (await this.#unpacked(`${key}-ledger.jsonl.gz`)).split("\n").filter(Boolean);
      const items = lines
        .map((line) => JSON.parse(line) as Record<string, string>)
        .filter(({ outcome }) => outcome !== undefined)
        .map(({ resource, namespace: space, name }) => `${resource} ${space}/${name}`);
      if (items.length === 0) found.push(`no ledger ${key}`);
      if (new Set(items).size !== items.length) found.push(`an item has two outcomes in ${key}`);
    }
    return found;
  }

  /** IDs of operations and snapshots in the store's files. */
  async #saved(id: number): Promise<string[]> {
    const ids = await Promise.all(
      [`backups/b${id}/b${id}`, `restores/r${id}/restore-r${id}`].flatMap((key) =>
        ["itemoperations", "volumesnapshots"].map(async (kind) => {
          const text = await this.#unpacked(`${key}-${kind}.json.gz`);
          return [...text.matchAll(/"(?:operationID|providerSnapshotID)":"([^"]+)"/g)].map(([, one = ""]) => one);
        }),
      ),
    );
    return [...new Set(ids.flat())];
  }

  async #unpacked(key: string): Promise<string> {
    const bytes = await readFile(join(this.dir, "store", "bucket", key)).catch(() => undefined);
    return bytes ? gunzipSync(bytes).toString() : "";
  }

  async #runningServer(): Promise<ChildProcess> {
    if (this.#server && this.#server.exitCode === null && this.#server.signalCode === null) return this.#server;
    const env = { ...process.env, OPERATIONS_DIR: join(this.dir, "operations") };
    const server = fork(serverProgram, [this.dir, ...this.flags], {
      env,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#server = server;
    await this.#next(server, (message) => "ready" in message);
    return server;
  }

  async #next(server: ChildProcess, isWanted: (message: Told) => boolean): Promise<Told> {
    while (true) {
      const [message] = (await once(server, "message", { signal: AbortSignal.timeout(60_000) })) as [Told];
      if (isWanted(message)) return message;
    }
  }

  async #endServer(): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    await gone;
    await systemClock.sleep(100, { signal: this.#scope.signal }); // its plugins notice and end, too
  }

  async #find(type: (typeof coreTypes)["pod"], space: string, name: string): Promise<Found | undefined> {
    const { items } = await this.client.list(type, { namespace: space }, this.#scope);
    return (items as unknown as Found[]).find(({ metadata }) => metadata.name === name);
  }

  async #velero(kind: string, name: string, spec: object): Promise<void> {
    const type = Object.values(veleroTypes).find((each) => each.kind === kind);
    if (!type) throw new Error(`no type ${kind}`);
    await this.#create(type, { apiVersion: "velero.io/v1", kind, metadata: { name, namespace: "velero" }, spec });
  }

  async #create(type: (typeof coreTypes)["pod"], object: object): Promise<void> {
    const { namespace: space } = (object as KubeObject).metadata;
    await this.client.create(
      type,
      { ...(space ? { namespace: space } : {}), object: object as KubeObject },
      this.#scope,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
