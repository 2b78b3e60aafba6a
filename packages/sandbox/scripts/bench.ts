/**
 * Compares the sandbox with a real API server, one after the other, with the same client:
 *   node packages/sandbox/scripts/bench.ts [objects]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { request } from "node:https";
import { type RealKubernetes, startRealKubernetes } from "./real-kubernetes.ts";

const count = Number(process.argv[2] ?? 5000);
const connections = 4;
const inFlight = 32;

interface Server {
  readonly url: string;
  readonly token: string;
}

/** About 1.3 KB, as a typical object has. */
const object = (index: number) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `object-${String(index).padStart(6, "0")}`, labels: { app: `app-${index % 50}`, tier: "web" } },
    data: { text: "x".repeat(900), index: String(index) },
  });

function call(
  session: ClientHttp2Session,
  { token }: Server,
  { method, path, body }: { method: string; path: string; body?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": method,
      ":path": path,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    });
    let size = 0;
    stream.on("response", (headers) => {
      const status = Number(headers[":status"]);
      if (status >= 300) reject(new Error(`${method} ${path}: ${status}`));
    });
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    stream.on("end", () => resolve(size));
    stream.on("error", reject);
    stream.end(body);
  });
}

async function measure(name: string, server: Server & { readonly child?: ChildProcess }): Promise<void> {
  const sessions = Array.from({ length: connections }, () => connect(server.url, { rejectUnauthorized: false }));
  const session = (index: number) => sessions[index % connections] as ClientHttp2Session;
  const started = performance.now();
  let next = 0;
  const worker = async (slot: number) => {
    for (let index = next++; index < count; index = next++) {
      await call(session(slot), server, {
        method: "POST",
        path: "/api/v1/namespaces/default/configmaps",
        body: object(index),
      });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, slot) => worker(slot)));
  const createMs = performance.now() - started;
  report(name, server);
  const lists: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 3; round++) {
    const begin = performance.now();
    bytes = await call(session(0), server, { method: "GET", path: "/api/v1/namespaces/default/configmaps" });
    lists.push(performance.now() - begin);
  }
  const pagesBegin = performance.now();
  await call(session(0), server, { method: "GET", path: "/api/v1/namespaces/default/configmaps?limit=500" });
  const pageMs = performance.now() - pagesBegin;
  process.stdout.write(
    `${name}: ${Math.round((count / createMs) * 1000)} creates/s, list ${Math.round(Math.min(...lists))} ms (${Math.round(bytes / 1e6)} MB), page of 500 ${Math.round(pageMs)} ms\n`,
  );
  const fanOutMs = await fanOut(session(0), server);
  process.stdout.write(`${name}: ${watchers} watchers saw ${changes} changes each in ${Math.round(fanOutMs)} ms\n`);
  for (const one of sessions) one.destroy();
}

const watchers = 100;
const changes = 200;

/** How long it takes until everybody has heard of everything. */
async function fanOut(session: ClientHttp2Session, server: Server): Promise<number> {
  const path = "/api/v1/namespaces/default/secrets";
  const heard = Array.from({ length: watchers }, () => watch(server, `${path}?watch=true`));
  await Promise.all(heard.map(({ opened }) => opened));
  const begin = performance.now();
  for (let index = 0; index < changes; index += 10) {
    const bodies = Array.from({ length: 10 }, (_, more) =>
      JSON.stringify({ metadata: { name: `s-${index + more}` }, stringData: { x: "y".repeat(900) } }),
    );
    await Promise.all(bodies.map((body) => call(session, server, { method: "POST", path, body })));
  }
  await Promise.all(heard.map(({ ended }) => ended));
  return performance.now() - begin;
}

/** A watcher with a connection of its own. */
function watch({ url, token }: Server, path: string): { opened: Promise<void>; ended: Promise<void> } {
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${token}` };
  let lines = 0;
  const call = request(`${url}${path}`, { headers, agent: false, rejectUnauthorized: false }, (response) => {
    opened.resolve();
    response.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) lines++;
      if (lines < changes) return;
      ended.resolve();
      call.destroy();
    });
  });
  call.on("error", ended.reject);
  call.end();
  return { opened: opened.promise, ended: ended.promise };
}

/** The most memory that a server has used so far. */
function report(name: string, server: Server & { readonly child?: ChildProcess }): void {
  if (!server.child) return;
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  process.stdout.write(`${name}: peak ${Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)} MB\n`);
}

function startSandboxProcess(): Promise<Server & { readonly child: ChildProcess }> {
  const source = `
    const { startSandbox } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
    const sandbox = await startSandbox();
    process.stdout.write(JSON.stringify({ url: sandbox.url, token: sandbox.token }) + "\\n");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve) => {
    child.stdout.once("data", (line: Buffer) => resolve({ ...(JSON.parse(line.toString()) as Server), child }));
  });
}

const sandbox = await startSandboxProcess();
try {
  await measure("sandbox", sandbox);
  report("sandbox", sandbox);
} finally {
  sandbox.child.kill();
}
if (process.argv[3] !== "sandbox") {
  await using kubernetes: RealKubernetes = await startRealKubernetes();
  await measure("kube-apiserver", kubernetes);
}
