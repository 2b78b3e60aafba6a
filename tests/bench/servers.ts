import { copyFile, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { buildGoProgram, type Kubernetes, type PeerProcess, startPeerProcess, startVelero } from "@jibe/testkit/peers";
import { type BenchCluster, untilLocationAvailable } from "./bench-cluster.ts";

/** A server under measurement. Disposing stops it. */
export interface BenchServer extends AsyncDisposable {
  readonly pid: number;
}

/** Where a server works. */
export interface ServerPlace {
  readonly cluster: BenchCluster & { readonly kubernetes?: Kubernetes };
  /** A folder of plugin programs. */
  readonly pluginDir: string;
  /** A folder for what the server and its plugins write. */
  readonly dir: string;
}

/** A server that can be measured, with its settings. */
export interface ServerKind {
  readonly name: string;
  /** The name as Kubernetes takes it. */
  readonly id: string;
  /** Flags beyond the defaults. */
  readonly flags: readonly string[];
  readonly start: (place: ServerPlace, scope: Scope) => Promise<BenchServer>;
}

const velero = (kind: Omit<ServerKind, "start">): ServerKind => ({
  ...kind,
  async start({ cluster, pluginDir, dir }, scope) {
    const { kubernetes } = cluster;
    if (!kubernetes) throw new Error("Velero is measured on a real API server only");
    await mkdir(dir, { recursive: true });
    const server = await startVelero(
      { kubernetes, pluginDir, flags: kind.flags, env: { PLUGIN_STATE_DIR: dir } },
      scope,
    );
    await untilLocationAvailable(cluster.client, scope);
    return server;
  },
});

/** Real Velero as it comes. */
export const veleroByDefault = velero({ name: "Velero", id: "velero", flags: [] });
/** Real Velero without a limit on requests that it would feel. */
export const veleroTuned = velero({
  name: "Velero, tuned",
  id: "velero-tuned",
  flags: ["--client-qps=5000", "--client-burst=5000"],
});

/** jibe as it comes; `program` is the bundle that users have. */
export const jibe = (program: string): ServerKind => ({
  name: "jibe",
  id: "jibe",
  flags: [],
  async start({ cluster, pluginDir, dir }, scope) {
    await mkdir(dir, { recursive: true });
    const args = [
      "--max-semi-space-size=4", // as bin/jibe.js has it
      program,
      "server",
      `--kubeconfig=${cluster.kubeconfig}`,
      "--namespace=velero",
      `--plugin-dir=${pluginDir}`,
      "--metrics-address=127.0.0.1:0",
      "--allow-other-server", // the Velero that was measured before has no lease to give up
    ];
    const env = { HOME: dir, PLUGIN_STATE_DIR: dir };
    await using stack = new AsyncDisposableStack();
    const server = await startPeerProcess({ name: "jibe", program: process.execPath, args, dir, env });
    stack.defer(() => server.terminate());
    await eventually(() => takesWork(server), { timeoutMs: 90_000, signal: scope.signal });
    await untilLocationAvailable(cluster.client, scope);
    return ownedServer(server.pid, stack.move());
  },
});

function takesWork(server: PeerProcess): boolean {
  if (/server takes work/.test(server.logs())) return true;
  throw new Error(`the server does not take work: ${server.logs().slice(-1000)}`);
}

const ownedServer = (pid: number, owned: AsyncDisposableStack): BenchServer => ({
  pid,
  [Symbol.asyncDispose]: () => owned.disposeAsync(),
});

/** Which plugins the servers load, besides the store: none, one that is asked about every item, or one that starts operations. */
export type PluginChoice = "none" | "no-op" | "operations";

/** A folder with the store's plugin and those that are chosen; both servers load the same. */
export async function preparePlugins(dir: string, choice: PluginChoice, scope: Scope): Promise<string> {
  const folder = join(dir, "plugins");
  await mkdir(folder, { recursive: true });
  const test = await buildGoProgram(join(import.meta.dirname, "../../packages/testkit/go/velero-plugins"), scope);
  // The program serves stores or actions, by the name under which it is started.
  await copyFile(test, join(folder, "test-stores"));
  if (choice === "operations") await copyFile(test, join(folder, "test-actions"));
  if (choice === "no-op") {
    const noOp = await buildGoProgram(join(import.meta.dirname, "go/no-op-actions"), scope);
    await copyFile(noOp, join(folder, basename(noOp)));
  }
  return folder;
}

/** The provider that the store's plugin serves. */
export const testStore = "example.io/filesystem";
