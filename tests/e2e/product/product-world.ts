import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isEnded } from "@jibe/engine";
import { connectCluster, type KubeClient, type KubeObject } from "@jibe/kube";
import { type Sandbox, startSandbox } from "@jibe/sandbox";
import {
  configMap,
  eventually,
  namespace,
  secret,
  service,
  type TempDir,
  type TestScope,
  tempDir,
  testScope,
} from "@jibe/testkit";
import { coreTypes, veleroTypes } from "../../../packages/jibe/src/api/index.ts";
import { customResourceDefinitions } from "../../../packages/jibe/src/crds/index.ts";
import { type CapturedProcess, type CommandRun, startCaptured } from "./captured-process.ts";

const heldPlugin = join(import.meta.dirname, "held-plugin.ts");
const definitionType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const serviceType = { ...coreTypes.configMap, resource: "services", kind: "Service" };

/** How long to wait for what takes a moment, even on a machine that has much else to do. */
export const patiently = { timeoutMs: 60_000 } as const;

export type VeleroKind = keyof typeof veleroTypes;

export interface ServerOptions {
  readonly flags?: readonly string[];
  readonly namespace?: string;
}

/** A server of the product. Disposing stops it as SIGTERM does and waits for its end. */
export interface RunningServer extends AsyncDisposable {
  log(): string;
  /** Asks its HTTP server, as the bearer of a token if one is given. */
  get(path: string, token?: string): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<CommandRun>;
}

/** A cluster with our definitions, a folder for a store, and the product's command line on it. */
export class ProductWorld implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly client: KubeClient;
  readonly dir: string;
  readonly scope: TestScope;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: { sandbox: Sandbox; client: KubeClient; dir: string; scope: TestScope },
    stack: AsyncDisposableStack,
  ) {
    this.sandbox = parts.sandbox;
    this.client = parts.client;
    this.dir = parts.dir;
    this.scope = parts.scope;
    this.#stack = stack;
  }

  static async start({
    namespaces = ["velero"],
    definitions = customResourceDefinitions(),
    simulateWorkloads = false,
  }: {
    readonly namespaces?: readonly string[];
    readonly definitions?: readonly object[];
    readonly simulateWorkloads?: boolean;
  } = {}): Promise<ProductWorld> {
    await using stack = new AsyncDisposableStack();
    const folder: TempDir = stack.use(await tempDir("product"));
    const scope = testScope();
    const sandbox = stack.use(await startSandbox({ simulateWorkloads }));
    await writeFile(join(folder.path, "kubeconfig"), sandbox.kubeconfig());
    const client = stack.use(await connectCluster({ env: {}, kubeconfig: join(folder.path, "kubeconfig") }, scope));
    await mkdir(join(folder.path, "plugins"));
    await mkdir(join(folder.path, "held"));
    await symlink(heldPlugin, join(folder.path, "plugins", "held"));
    for (const object of definitions) await client.create(definitionType, { object: object as KubeObject }, scope);
    const world = new ProductWorld({ sandbox, client, dir: folder.path, scope }, stack.move());
    for (const name of namespaces) await world.create(coreTypes.namespace, namespace(name));
    return world;
  }

  get kubeconfig(): string {
    return join(this.dir, "kubeconfig");
  }

  /** Lets the item of this name go that the test plugin holds. */
  async release(name: string): Promise<void> {
    await writeFile(this.held(`release-${name}`), "");
  }

  /** Holds the item again from now on, and forgets that it was reached. */
  async retain(name: string): Promise<void> {
    await rm(this.held(`release-${name}`));
    await rm(this.held(`reached-${name}`));
  }

  held(name: string): string {
    return join(this.dir, "held", name);
  }

  async create(type: (typeof coreTypes)["namespace"], object: object): Promise<KubeObject> {
    const { metadata } = object as KubeObject;
    const place = type.namespaced ? { namespace: metadata.namespace ?? "" } : {};
    return this.client.create(type, { ...place, object: object as KubeObject }, this.scope);
  }

  async find(
    kind: VeleroKind,
    name: string,
    inNamespace = "velero",
  ): Promise<(KubeObject & { status?: Record<string, unknown> }) | undefined> {
    const found = await this.list(kind, inNamespace);
    return found.find(({ metadata }) => metadata.name === name);
  }

  async list(kind: VeleroKind, inNamespace = "velero"): Promise<(KubeObject & { status?: Record<string, unknown> })[]> {
    const { items } = await this.client.list(veleroTypes[kind], { namespace: inNamespace }, this.scope);
    return items as unknown as (KubeObject & { status?: Record<string, unknown> })[];
  }

  /** Waits until an object is in one of these phases and gives it. */
  async untilPhase(kind: VeleroKind, name: string, phases: readonly string[], inNamespace = "velero") {
    return eventually(
      async () => {
        const found = await this.find(kind, name, inNamespace);
        const phase = found?.status?.["phase"];
        if (!phases.includes(String(phase)))
          throw new Error(`${kind} ${name} is ${phase}: ${JSON.stringify(found?.status)}`);
        return found;
      },
      { timeoutMs: 60_000 },
    );
  }

  /** Waits until a backup or restore has come to its end, however it ends. */
  async untilEnded(kind: "backup" | "restore", name: string, timeoutMs = 60_000) {
    return eventually(
      async () => {
        const found = await this.find(kind, name);
        if (found && isEnded(found.status?.["phase"] as string | undefined)) return found;
        throw new Error(`${kind} ${name} has not ended: ${JSON.stringify(found?.status)}`);
      },
      { timeoutMs },
    );
  }

  /** Runs a command of the product to its end. */
  async jibe(...args: string[]): Promise<CommandRun> {
    return this.start(...args).ended;
  }

  start(...args: string[]): CapturedProcess {
    return startCaptured([...args, `--kubeconfig=${this.kubeconfig}`], {
      env: { HOME: this.dir, PATH: process.env["PATH"] },
    });
  }

  /** Starts a server without waiting until it takes work. */
  beginServer({ flags = [], namespace: own = "velero" }: ServerOptions = {}): RunningServer {
    const args = [
      "server",
      `--kubeconfig=${this.kubeconfig}`,
      `--namespace=${own}`,
      `--plugin-dir=${join(this.dir, "plugins")}`,
      "--metrics-address=127.0.0.1:0",
      "--item-operation-sync-frequency=200ms",
      "--backup-sync-period=1s",
      ...flags,
    ];
    const env = { HOME: this.dir, PATH: process.env["PATH"], HELD_DIR: join(this.dir, "held") };
    const server = startCaptured(args, { env });
    const stop = async () => {
      server.interrupt();
      return server.ended;
    };
    const get = async (path: string, token?: string) => {
      const [, address] = /serving health and metrics" address="([^"]+)"/.exec(server.output()) ?? [];
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      const answer = await fetch(`${address}${path}`, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    return { log: server.output, get, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
  }

  /** Starts a server and waits until it takes work. */
  async startServer({ flags = [], ...options }: ServerOptions = {}): Promise<RunningServer> {
    const server = this.beginServer({ ...options, flags: ["--allow-other-server", ...flags] });
    await takesWork(server);
    return server;
  }

  /** Makes a location on the file system and waits until it is available. */
  async addLocation({
    root = join(this.dir, "store"),
    inNamespace = "velero",
  }: {
    root?: string;
    inNamespace?: string;
  } = {}) {
    await mkdir(join(root, "bucket"), { recursive: true });
    await this.create(veleroTypes.backupStorageLocation, {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace: inNamespace },
      spec: { provider: "jibe.io/filesystem", default: true, objectStorage: { bucket: "bucket" }, config: { root } },
    });
  }

  /** A namespace with a few objects. */
  async deployShop(name = "shop"): Promise<void> {
    await this.create(coreTypes.namespace, namespace(name));
    await this.create(coreTypes.configMap, configMap("settings", { namespace: name, labels: { app: "shop" } }));
    await this.create(coreTypes.secret, secret("key", { namespace: name }));
    await this.create(serviceType, service("web", { namespace: name }));
  }

  /** A namespace whose one ConfigMap the test plugin holds: while it executes, by an operation, or while it is finalized. */
  async deployHeld(name: string, hold: "execute" | "operation" | "finalizing"): Promise<void> {
    await this.create(coreTypes.namespace, namespace(name));
    await this.create(coreTypes.configMap, configMap(name, { namespace: name, labels: { hold } }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** Waits until a server says that it takes work. */
export function takesWork(server: RunningServer): Promise<unknown> {
  return eventually(
    () => {
      if (server.log().includes("server takes work")) return true;
      throw new Error(`the server does not take work:\n${server.log()}`);
    },
    { timeoutMs: 60_000 },
  );
}
