import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { tempDir } from "../temp-dir.ts";
import { peerProgram } from "./build-peers.ts";
import { freePort } from "./free-port.ts";
import type { Kubernetes } from "./kubernetes.ts";
import { type PeerProcess, startPeerProcess, untilReady } from "./peer-process.ts";
import { type CommandResult, runCommand } from "./run-command.ts";

export interface VeleroOptions {
  readonly kubernetes: Kubernetes;
  /** A folder of plugin programs. */
  readonly pluginDir: string;
  /** More flags of `velero server`. */
  readonly flags?: readonly string[];
  /** Variables for the server and so for its plugins. */
  readonly env?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

/** A real Velero server that runs outside the cluster. Disposing ends it; its resources stay in the cluster. */
export interface Velero extends AsyncDisposable {
  readonly pid: number;
  readonly namespace: string;
  logs(): string;
  /** Runs the real command line against the same cluster. */
  cli(args: readonly string[]): Promise<CommandResult>;
  /** Ends the server as `kill -9` does. */
  kill(): Promise<void>;
}

/** Installs Velero's CRDs and what its server needs in the cluster, starts it, and returns when its controllers run. */
export async function startVelero(options: VeleroOptions, scope: Scope): Promise<Velero> {
  const { kubernetes, namespace = "velero", flags = [], env = {} } = options;
  await using stack = new AsyncDisposableStack();
  const { path: dir } = stack.use(await tempDir("velero"));
  const cli = await veleroCli({ kubernetes, namespace, dir }, scope);
  await installVelero({ kubernetes, namespace }, scope);
  const program = await peerProgram("velero", scope);
  const [metrics, profiler] = [await freePort(), await freePort()];
  const args = [
    "server",
    `--kubeconfig=${kubernetes.kubeconfig}`,
    `--namespace=${namespace}`,
    `--plugin-dir=${options.pluginDir}`,
    `--metrics-address=127.0.0.1:${metrics}`,
    `--profiler-address=127.0.0.1:${profiler}`,
    ...flags,
  ];
  const server = stack.use(
    await startPeerProcess({ program, args, dir, env: { HOME: dir, VELERO_NAMESPACE: namespace, ...env } }),
  );
  await untilReady(server, async () => controllersRun(server), scope);
  const owned = stack.move();
  return {
    pid: server.pid,
    namespace,
    logs: server.logs,
    cli,
    kill: server.kill,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

// Nothing that the server offers says that its controllers have started; its log does, once for each.
function controllersRun(server: PeerProcess): boolean {
  const logs = server.logs();
  return (
    /Starting workers.*controller=(\\?")?backup(\\?")? /.test(logs) &&
    /Starting workers.*controller=(\\?")?restore/.test(logs)
  );
}

/** The real `velero` command line for a cluster, with a home folder of its own. */
export async function veleroCli(
  { kubernetes, namespace = "velero", dir }: { kubernetes: Kubernetes; namespace?: string; dir: string },
  scope: Scope,
): Promise<(args: readonly string[]) => Promise<CommandResult>> {
  const program = await peerProgram("velero", scope);
  const always = [`--kubeconfig=${kubernetes.kubeconfig}`, `--namespace=${namespace}`, "--colorized=false"];
  return (args) => runCommand(program, [...args, ...always], { env: { HOME: dir }, cwd: dir }, scope);
}

/** Puts Velero's CRDs, its namespace and a Deployment `velero` into the cluster; does no harm when they are there. */
export async function installVelero(
  { kubernetes, namespace = "velero" }: { kubernetes: Kubernetes; namespace?: string },
  scope: Scope,
): Promise<void> {
  const home = join(kubernetes.dir, "velero-home");
  await mkdir(home, { recursive: true });
  const program = await peerProgram("velero", scope);
  const args = ["install", "--crds-only", "--dry-run", "-o", "json"];
  const crds = await runCommand(program, args, { env: { HOME: home } }, scope);
  if (crds.exitCode !== 0) throw new AppError("Internal", `velero install --crds-only failed: ${crds.stderr}`);
  const applied = await kubernetes.kubectl(["apply", "--server-side", "-f", "-"], crds.stdout);
  if (applied.exitCode !== 0) throw new AppError("Internal", `cannot apply Velero's CRDs: ${applied.stderr}`);
  await kubernetes.apply([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    deployment(namespace),
  ]);
  const established = await kubernetes.kubectl([
    "wait",
    "--for=condition=Established",
    "crd",
    "--all",
    "--timeout=30s",
  ]);
  if (established.exitCode !== 0) throw new AppError("Unavailable", `CRDs are not established: ${established.stderr}`);
}

// Velero reads its own Deployment for defaults of the pods that it starts. No replica: the server runs outside.
function deployment(namespace: string): object {
  const labels = { component: "velero", deploy: "velero" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "velero", namespace, labels },
    spec: {
      replicas: 0,
      selector: { matchLabels: { deploy: "velero" } },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "velero", image: "velero/velero:v1.18.3", command: ["/velero"], args: ["server"] }],
        },
      },
    },
  };
}
