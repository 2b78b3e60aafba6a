import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@jibe/base";

/** A real kube-apiserver on etcd, with its controller manager where that has been built. */
export interface RealKubernetes extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly kubeconfigPath: string;
  readonly kubeconfigText: string;
}

// The controllers whose work the sandbox does too; others would change objects while a case looks at them.
const controllers = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
];

/** Starts the real programs from the peers cache on loopback, with a temporary data directory. */
export async function startRealKubernetes(bin: string = join(homedir(), ".cache/jibe/peers")): Promise<RealKubernetes> {
  const dir = await mkdtemp(join(tmpdir(), "real-kubernetes-"));
  const [etcdPort, peerPort, apiPort, managerPort] = await freePorts(4);
  const children: ChildProcess[] = [];
  const start = async (name: string, args: readonly string[]) => {
    await using log = await open(join(dir, `${name}.log`), "w");
    children.push(spawn(join(bin, name), args, { stdio: ["ignore", log.fd, log.fd] }));
  };
  const token = "peer-admin";
  const url = `https://127.0.0.1:${apiPort}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyPath = join(dir, "sa.key");
  await writeFile(keyPath, privateKey.export({ type: "pkcs1", format: "pem" }));
  await writeFile(join(dir, "tokens.csv"), `${token},admin,admin,"system:masters"\n`);
  const kubeconfigPath = join(dir, "kubeconfig");
  const kubeconfigText = JSON.stringify(kubeconfig(url, token));
  await writeFile(kubeconfigPath, kubeconfigText);
  await start("etcd", [
    ...["--data-dir", join(dir, "etcd"), "--unsafe-no-fsync"],
    ...[
      "--listen-client-urls",
      `http://127.0.0.1:${etcdPort}`,
      "--advertise-client-urls",
      `http://127.0.0.1:${etcdPort}`,
    ],
    ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`],
    ...[
      "--initial-advertise-peer-urls",
      `http://127.0.0.1:${peerPort}`,
      "--initial-cluster",
      `default=http://127.0.0.1:${peerPort}`,
    ],
  ]);
  await start("kube-apiserver", [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    `--secure-port=${apiPort}`,
    `--cert-dir=${join(dir, "certs")}`,
    `--token-auth-file=${join(dir, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyPath}`,
    `--service-account-signing-key-file=${keyPath}`,
    "--service-cluster-ip-range=10.96.0.0/16",
  ]);
  const stop = async () => {
    await Promise.all(children.map(ended));
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(url, token);
    if (existsSync(join(bin, "kube-controller-manager"))) {
      await start("kube-controller-manager", [
        `--kubeconfig=${kubeconfigPath}`,
        `--secure-port=${managerPort}`,
        "--leader-elect=false",
        `--service-account-private-key-file=${keyPath}`,
        `--root-ca-file=${join(dir, "certs/apiserver.crt")}`,
        `--cert-dir=${join(dir, "manager-certs")}`,
        `--controllers=${controllers.join(",")}`,
      ]);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, token, kubeconfigPath, kubeconfigText, [Symbol.asyncDispose]: stop };
}

/** One request to the real server, whose certificate is its own. */
export async function getText(url: string, token: string, accept = "application/json"): Promise<string> {
  const { request } = await import("node:https");
  return await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept };
    const call = request(url, { headers, rejectUnauthorized: false }, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => (response.statusCode === 200 ? resolve(text) : reject(new Error(`${url}: ${text}`))));
    });
    call.on("error", reject);
    call.end();
  });
}

async function waitUntilReady(url: string, token: string): Promise<void> {
  const signal = AbortSignal.timeout(90_000);
  for (;;) {
    const ready = await getText(`${url}/readyz`, token, "*/*").catch(() => "");
    if (ready === "ok") return;
    await systemClock.sleep(200, { signal });
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            resolve(typeof address === "object" && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

function kubeconfig(server: string, token: string): unknown {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "real",
    clusters: [{ name: "real", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "real", user: { token } }],
    contexts: [{ name: "real", context: { cluster: "real", user: "real" } }],
  };
}
