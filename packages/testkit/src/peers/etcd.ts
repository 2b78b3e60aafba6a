import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { peerProgram } from "./build-peers.ts";
import { freePort } from "./free-port.ts";
import { httpCall } from "./http-probe.ts";
import { startPeerProcess, untilReady } from "./peer-process.ts";

/** A running etcd of one member, without TLS, on the loopback interface. */
export interface Etcd extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  logs(): string;
  /** Forgets every revision before the current one: reading an older one then fails. */
  compact(scope: Scope): Promise<void>;
}

/** Starts etcd with its files below `dir`. It does not wait for the disk: what it keeps must not outlive the test. */
export async function startEtcd(dir: string, scope: Scope): Promise<Etcd> {
  const program = await peerProgram("etcd", scope);
  const [url, peerUrl] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const args = [
    `--data-dir=${join(dir, "etcd")}`,
    "--name=peer",
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=peer=${peerUrl}`,
    "--unsafe-no-fsync",
    "--quota-backend-bytes=8589934592",
    "--log-level=warn",
  ];
  const peer = await startPeerProcess({ program, args, dir });
  await untilReady(peer, async (inner) => (await httpCall({ url: `${url}/health` }, inner)).status === 200, scope);
  return {
    url,
    pid: peer.pid,
    logs: peer.logs,
    compact: (inner) => compact(url, inner),
    [Symbol.asyncDispose]: peer.kill,
  };
}

async function compact(url: string, scope: Scope): Promise<void> {
  const range = await post(url, "range", { key: "AA==", count_only: true }, scope);
  const { header } = JSON.parse(range) as { header: { revision: string } };
  await post(url, "compaction", { revision: header.revision, physical: true }, scope);
}

async function post(url: string, operation: string, body: unknown, scope: Scope): Promise<string> {
  const call = { url: `${url}/v3/kv/${operation}`, method: "POST", body: JSON.stringify(body) };
  const answer = await httpCall(call, scope);
  if (answer.status === 200) return answer.body;
  throw new AppError("Internal", `etcd refused ${operation}: ${answer.body}`);
}
