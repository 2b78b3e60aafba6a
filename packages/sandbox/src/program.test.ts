import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { silentLogger } from "@jibe/base";
import { eventually, tempDir } from "@jibe/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { ContractClient } from "../contract/contract-client.ts";
import { runSandboxProgram, type SandboxProgramOptions } from "./program.ts";

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** A client by what a kubeconfig file says. */
function clientFrom(file: string): ContractClient {
  const { clusters, users } = load(readFileSync(file, "utf8")) as Kubeconfig;
  return new ContractClient({ url: clusters[0].cluster.server, token: users[0].user.token });
}

/** Runs the program until its kubeconfig is there, does something with it, and stops it. */
async function running(options: SandboxProgramOptions, act: (client: ContractClient) => Promise<void>) {
  const stopping = new AbortController();
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const ended = runSandboxProgram(options, { signal: stopping.signal, log: silentLogger, print });
  await Promise.race([eventually(() => lines.length === 4), ended]);
  {
    using client = clientFrom(options.kubeconfigOut);
    await act(client);
  }
  stopping.abort();
  await ended;
  return lines;
}

const path = "/api/v1/namespaces/default/configmaps";
const body = JSON.stringify({ metadata: { name: "kept" } });

test("the program writes a kubeconfig for its owner alone, says how to use it, and takes it away in the end", async () => {
  await using dir = await tempDir("program");
  const kubeconfigOut = join(dir.path, "kubeconfig");
  writeFileSync(kubeconfigOut, "another", { mode: 0o644 });
  const lines = await running({ kubeconfigOut }, async (client) => {
    expect(statSync(kubeconfigOut).mode & 0o777).toBe(0o600);
    expect((await client.send({ method: "POST", path, body })).code).toBe(201);
  });
  expect(lines[0]).toMatch(/^Kubernetes API on https:\/\/127\.0\.0\.1:\d+$/);
  expect(lines[1]).toBe(`  export KUBECONFIG=${kubeconfigOut}`);
  expect(existsSync(kubeconfigOut)).toBe(false);
});

test("the program finds in its data directory what it kept there", async () => {
  await using dir = await tempDir("program");
  const options = { kubeconfigOut: join(dir.path, "kubeconfig"), dataDir: join(dir.path, "data") };
  await running(options, async (client) => void (await client.send({ method: "POST", path, body })));
  await running(options, async (client) => {
    expect((await client.send({ method: "GET", path: `${path}/kept` })).code).toBe(200);
  });
});

test("a kubeconfig that cannot be written is said so", async () => {
  const scope = { signal: new AbortController().signal, log: silentLogger, print: () => {} };
  await expect(runSandboxProgram({ kubeconfigOut: "/absent/kubeconfig" }, scope)).rejects.toMatchObject({
    code: "InvalidArgument",
    message: 'cannot write kubeconfig "/absent/kubeconfig"',
  });
});

test("jibe sandbox runs until it is interrupted, and ends cleanly", { timeout: 60_000 }, async () => {
  await using dir = await tempDir("program");
  const kubeconfigOut = join(dir.path, "kubeconfig");
  const program = fileURLToPath(new URL("../../jibe/bin/jibe.js", import.meta.url));
  const child = spawn(process.execPath, [
    program,
    "sandbox",
    "--kubeconfig-out",
    kubeconfigOut,
    "--simulate-workloads",
  ]);
  const errors = text(child.stderr);
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await eventually(() => printed.includes("Ctrl-C ends it."), { timeoutMs: 45_000 });
  {
    using client = clientFrom(kubeconfigOut);
    expect((await client.send({ method: "GET", path: "/api/v1/nodes/sandbox" })).code).toBe(200);
  }
  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number | null];
  expect([code, await errors]).toEqual([0, ""]);
  expect(existsSync(kubeconfigOut)).toBe(false);
});
