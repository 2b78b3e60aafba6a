import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { tempDir } from "../temp-dir.ts";
import { prepareApiServer } from "./api-server.ts";
import { peerProgram } from "./build-peers.ts";
import { startController } from "./controllers.ts";
import { startEtcd } from "./etcd.ts";
import { startKwok } from "./kwok.ts";
import type { PeerProcess } from "./peer-process.ts";
import { type CommandResult, runCommand } from "./run-command.ts";

export interface KubernetesOptions {
  /** Runs the real controllers (deployments, jobs, garbage collection, volume binding…). */
  readonly controllerManager?: boolean;
  /** Controllers that shall not run, by their names in kube-controller-manager. */
  readonly disabledControllers?: readonly string[];
  readonly scheduler?: boolean;
  /** Plays a node named `node-1` and its kubelet: pods that are on it run, `exec` runs commands on this machine. */
  readonly kwok?: boolean;
  /** More flags of kube-apiserver, such as `--watch-cache=false`; a later flag wins over ours. */
  readonly extraApiServerFlags?: readonly string[];
}

/** A real cluster of one API server on the loopback interface. Disposing ends every process and removes every file. */
export interface Kubernetes extends AsyncDisposable {
  readonly url: string;
  /** May do everything (group system:masters). The same as `adminToken`. */
  readonly token: string;
  readonly adminToken: string;
  /** Known to the API server as user `someone`, with no rights beyond those of every authenticated user. */
  readonly userToken: string;
  /** PEM text. */
  readonly caCert: string;
  /** Path of a kubeconfig file for the administrator. */
  readonly kubeconfig: string;
  /** A folder that lives as long as the cluster. */
  readonly dir: string;
  /** Process id of the API server that runs now. */
  apiServerPid(): number;
  kubectl(args: readonly string[], stdin?: string): Promise<CommandResult>;
  /** Creates or updates objects; fails when any is refused. */
  apply(objects: readonly object[]): Promise<void>;
  /** Kills the API server and starts it again on the same port and storage; returns when it is ready. */
  restartApiServer(): Promise<void>;
  stopApiServer(): Promise<void>;
  /** Makes older revisions unreadable. With the watch cache on, the API server may still serve them from memory. */
  compactEtcd(): Promise<void>;
  /** What every process of the cluster printed. */
  logs(): string;
}

/** Starts etcd, kube-apiserver and what else the options ask for; returns when the cluster is ready. */
export async function startKubernetes(options: KubernetesOptions, scope: Scope): Promise<Kubernetes> {
  await using stack = new AsyncDisposableStack();
  const { path: dir } = stack.use(await tempDir("kubernetes"));
  const etcd = stack.use(await startEtcd(dir, scope));
  const api = await prepareApiServer({ dir, etcd, flags: options.extraApiServerFlags ?? [] }, scope);
  let server: PeerProcess | undefined;
  const stopApiServer = async () => server?.kill();
  const startApiServer = async () => {
    server = await api.start(scope);
  };
  stack.defer(stopApiServer);
  await startApiServer();

  const kubectlProgram = await peerProgram("kubectl", scope);
  const kubectl = (args: readonly string[], stdin?: string) =>
    runCommand(
      kubectlProgram,
      [`--kubeconfig=${api.kubeconfig}`, `--cache-dir=${join(dir, "kubectl")}`, ...args],
      stdin === undefined ? {} : { stdin },
      scope,
    );
  const processes: PeerProcess[] = [];
  for (const name of controllersOf(options)) {
    processes.push(
      stack.use(
        await startController(
          name,
          { dir, kubeconfig: api.kubeconfig, ...api.keys, disabled: options.disabledControllers ?? [] },
          scope,
        ),
      ),
    );
  }
  const cluster = {
    ...api.access,
    dir,
    apiServerPid: () => server?.pid ?? -1,
    kubectl,
    apply: (objects: readonly object[]) => applyObjects(kubectl, objects),
    stopApiServer,
    restartApiServer: async () => {
      await stopApiServer();
      await startApiServer();
    },
    compactEtcd: () => etcd.compact(scope),
    logs: () => [etcd, ...(server ? [server] : []), ...processes].map((each) => each.logs()).join("\n"),
  };
  if (options.kwok) processes.push(stack.use(await startKwok({ ...cluster, ...api.keys }, scope)));
  const owned = stack.move();
  return { ...cluster, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function controllersOf({ controllerManager, scheduler }: KubernetesOptions) {
  return [
    ...(controllerManager ? (["kube-controller-manager"] as const) : []),
    ...(scheduler ? (["kube-scheduler"] as const) : []),
  ];
}

async function applyObjects(kubectl: Kubernetes["kubectl"], objects: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const { exitCode, stderr } = await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], list);
  if (exitCode !== 0) throw new AppError("InvalidArgument", `kubectl apply failed: ${stderr}`);
}
