import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { tempDir } from "../temp-dir.ts";
import { peerProgram } from "./build-peers.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { freePort } from "./free-port.ts";
import { httpCall } from "./http-probe.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { startKwok } from "./kwok.ts";
import { loopbackCertificate } from "./loopback-certificate.ts";
import { type PeerProcess, startPeerProcess, untilReady } from "./peer-process.ts";
import { type CommandResult, runCommand } from "./run-command.ts";

export interface KubernetesOptions {
  /** Runs the real controllers (deployments, jobs, garbage collection, volume binding…). */
  readonly controllerManager?: boolean;
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
    processes.push(stack.use(await startController(name, { dir, kubeconfig: api.kubeconfig, ...api.keys }, scope)));
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

interface ApiServerKeys {
  readonly certFile: string;
  readonly keyFile: string;
  readonly serviceAccountKeyFile: string;
}

async function prepareApiServer(
  { dir, etcd, flags }: { dir: string; etcd: Etcd; flags: readonly string[] },
  scope: Scope,
) {
  const program = await peerProgram("kube-apiserver", scope);
  const keys = await writeKeys(dir);
  const port = await freePort();
  const caCert = readFileSync(keys.certFile, "utf8");
  const [adminToken, userToken] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  const access = { url: `https://127.0.0.1:${port}`, token: adminToken, adminToken, userToken, caCert };
  const kubeconfig = join(dir, "kubeconfig");
  await writeKubeconfig(kubeconfig, access);
  const tokenFile = join(dir, "tokens.csv");
  await writeFile(tokenFile, `${adminToken},admin,admin,system:masters\n${userToken},someone,someone\n`, {
    mode: 0o600,
  });
  const args = [...apiServerFlags({ port, etcdUrl: etcd.url, dir, tokenFile }, keys), ...flags];
  const isReady = async (inner: Scope) =>
    (await httpCall({ url: `${access.url}/readyz`, token: adminToken, caCert }, inner)).status === 200;
  return {
    keys,
    kubeconfig,
    access: { ...access, kubeconfig },
    async start(inner: Scope): Promise<PeerProcess> {
      const server = await startPeerProcess({ program, args, dir });
      await untilReady(server, isReady, inner);
      return server;
    },
  };
}

async function writeKeys(dir: string): Promise<ApiServerKeys> {
  await mkdir(join(dir, "keys"));
  const { cert, key } = loopbackCertificate("jibe-peers");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const write = async (name: string, content: string) => {
    const file = join(dir, "keys", name);
    await writeFile(file, content, { mode: 0o600 });
    return file;
  };
  return {
    certFile: await write("server.crt", cert),
    keyFile: await write("server.key", key),
    serviceAccountKeyFile: await write(
      "service-account.key",
      privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    ),
  };
}

function apiServerFlags(
  { port, etcdUrl, dir, tokenFile }: { port: number; etcdUrl: string; dir: string; tokenFile: string },
  { certFile, keyFile, serviceAccountKeyFile }: ApiServerKeys,
): readonly string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${dir}`,
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    `--kubelet-certificate-authority=${certFile}`,
    "--kubelet-preferred-address-types=InternalIP",
    `--token-auth-file=${tokenFile}`,
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${serviceAccountKeyFile}`,
    `--service-account-signing-key-file=${serviceAccountKeyFile}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    "--endpoint-reconciler-type=none",
    "--allow-privileged=true",
    "--profiling=false",
  ];
}

async function startController(
  name: "kube-controller-manager" | "kube-scheduler",
  { dir, kubeconfig, ...keys }: ApiServerKeys & { dir: string; kubeconfig: string },
  scope: Scope,
): Promise<PeerProcess> {
  const program = await peerProgram(name, scope);
  const port = await freePort();
  const own =
    name === "kube-controller-manager"
      ? [
          `--service-account-private-key-file=${keys.serviceAccountKeyFile}`,
          `--root-ca-file=${keys.certFile}`,
          "--controllers=*,-nodeipam,-cloud-node-lifecycle",
        ]
      : [];
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${keys.certFile}`,
    `--tls-private-key-file=${keys.keyFile}`,
    "--leader-elect=false",
    ...own,
  ];
  const peer = await startPeerProcess({ program, args, dir });
  const caCert = readFileSync(keys.certFile, "utf8");
  const url = `https://127.0.0.1:${port}/healthz`;
  await untilReady(peer, async (inner) => (await httpCall({ url, caCert }, inner)).status === 200, scope);
  return peer;
}
