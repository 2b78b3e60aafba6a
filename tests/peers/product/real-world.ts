import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { type CommandResult, type Kubernetes, startKubernetes, veleroCli } from "@jibe/testkit/peers";
import { customResourceDefinitions } from "../../../packages/jibe/src/crds/index.ts";
import { type CapturedProcess, type CommandRun, startCaptured } from "../../e2e/product/captured-process.ts";

export interface RealWorldOptions {
  /** Runs the real controllers, so that deployments get pods and owners' deletion is followed. */
  readonly controllerManager?: boolean;
}

/** A real API server with our definitions, both command lines, and a folder for a store. */
export class RealWorld implements AsyncDisposable {
  readonly kubernetes: Kubernetes;
  /** The real `velero` command line. */
  readonly velero: (...args: string[]) => Promise<CommandResult>;
  readonly #env: Readonly<Record<string, string | undefined>>;

  private constructor(kubernetes: Kubernetes, velero: (args: readonly string[]) => Promise<CommandResult>) {
    this.kubernetes = kubernetes;
    this.velero = (...args) => velero(args);
    this.#env = { HOME: join(kubernetes.dir, "home"), PATH: process.env["PATH"], TZ: "UTC" };
  }

  static async start({ controllerManager = false }: RealWorldOptions, scope: Scope): Promise<RealWorld> {
    await using stack = new AsyncDisposableStack();
    const kubernetes = stack.use(await startKubernetes({ controllerManager }, scope));
    const dir = join(kubernetes.dir, "home");
    await mkdir(dir);
    await mkdir(join(kubernetes.dir, "store", "bucket"), { recursive: true });
    await mkdir(join(kubernetes.dir, "no-plugins"));
    const world = new RealWorld(kubernetes, await veleroCli({ kubernetes, dir }, scope));
    stack.move(); // owned by the world from here on
    return world;
  }

  /** Puts our definitions, the namespace `velero` and a location on the file system into the cluster. */
  async install(): Promise<void> {
    await this.kubernetes.apply(customResourceDefinitions());
    await this.kubernetes.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
    await this.kubernetes.apply([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "velero" } }]);
    await this.addLocation();
  }

  async addLocation(): Promise<void> {
    const config = { root: join(this.kubernetes.dir, "store") };
    await this.kubernetes.apply([
      {
        apiVersion: "velero.io/v1",
        kind: "BackupStorageLocation",
        metadata: { name: "default", namespace: "velero" },
        spec: { provider: "jibe.io/filesystem", default: true, objectStorage: { bucket: "bucket" }, config },
      },
    ]);
  }

  /** Runs a command of ours to its end. */
  jibe(...args: string[]): Promise<CommandRun> {
    return startCaptured([...args, `--kubeconfig=${this.kubernetes.kubeconfig}`], { env: this.#env }).ended;
  }

  /** Starts a server of ours in this process; later flags win. */
  server(...flags: string[]): CapturedProcess {
    return this.serverWith({}, ...flags);
  }

  serverWith(env: Readonly<Record<string, string>>, ...flags: string[]): CapturedProcess {
    const args = [
      "server",
      `--kubeconfig=${this.kubernetes.kubeconfig}`,
      `--plugin-dir=${join(this.kubernetes.dir, "no-plugins")}`,
      "--metrics-address=127.0.0.1:0",
      "--namespace=velero",
      ...flags,
    ];
    return startCaptured(args, { env: { ...this.#env, ...env } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kubernetes[Symbol.asyncDispose]();
  }
}

/** Waits until a server says that it takes work. */
export async function takesWork(server: CapturedProcess): Promise<void> {
  await eventually(
    () => {
      if (server.output().includes("server takes work")) return true;
      throw new Error(`the server does not take work:\n${server.output()}`);
    },
    { timeoutMs: 30_000 },
  );
}

/** A namespace with a few objects. */
export const shop = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "shop" }, data: { color: "blue" } },
  { apiVersion: "v1", kind: "Secret", metadata: { name: "key", namespace: "shop" }, stringData: { key: "hush" } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    spec: { ports: [{ port: 80 }], selector: { app: "web" } },
  },
];
