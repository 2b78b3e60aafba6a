import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { peerProgram } from "./build-peers.ts";
import type { Etcd } from "./etcd.ts";
import { freePort } from "./free-port.ts";
import { httpCall } from "./http-probe.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { loopbackCertificate } from "./loopback-certificate.ts";
import { type PeerProcess, startPeerProcess, untilReady } from "./peer-process.ts";

/** Files with the keys of one cluster. */
export interface ClusterKeys {
  readonly certFile: string;
  readonly keyFile: string;
  readonly serviceAccountKeyFile: string;
}

/** Writes keys, tokens and a kubeconfig below `dir`; `start` then starts the server, each time on the same port. */
export async function prepareApiServer(
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

async function writeKeys(dir: string): Promise<ClusterKeys> {
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
  { certFile, keyFile, serviceAccountKeyFile }: ClusterKeys,
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
