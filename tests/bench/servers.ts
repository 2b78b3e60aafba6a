import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { buildGoProgram, installVelero, type Kubernetes, startPeerProcess, startVelero } from "@jibe/testkit/peers";

import { bundleProduct } from "./bundle.ts";

/** A server under measurement. */
export interface BenchServer extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
}

export type StartServer = (kubernetes: Kubernetes, dir: string, scope: Scope) => Promise<BenchServer>;

const root = join(import.meta.dirname, "../..");

async function pluginDir(dir: string, scope: Scope): Promise<string> {
  const folder = join(dir, "plugins");
  await mkdir(folder, { recursive: true });
  const program = await buildGoProgram(join(root, "packages/testkit/go/velero-plugins"), scope);
  await copyFile(program, join(folder, "test-stores")); // the part of the test plugins that is stores alone
  return folder;
}

/** Real Velero, with its defaults or with more requests a second. */
export const velero =
  (name: string, flags: readonly string[] = []): StartServer =>
  async (kubernetes, dir, scope) => {
    const server = await startVelero({ kubernetes, pluginDir: await pluginDir(dir, scope), flags }, scope);
    return { name, pid: server.pid, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

/** jibe, with its defaults. */
export const jibe: StartServer = async (kubernetes, dir, scope) => {
  await installVelero({ kubernetes }, scope);
  await mkdir(dir, { recursive: true });
  const args = [
    "--max-semi-space-size=4", // as bin/jibe.js has it
    await bundleProduct(join(dir, "dist")),
    "server",
    `--kubeconfig=${kubernetes.kubeconfig}`,
    "--namespace=velero",
    `--plugin-dir=${await pluginDir(dir, scope)}`,
    "--metrics-address=127.0.0.1:0",
    "--allow-other-server",
  ];
  const server = await startPeerProcess({ name: "jibe", program: process.execPath, args, dir, env: { HOME: dir } });
  await eventually(async () => /server takes work/.test(server.logs()), { timeoutMs: 60_000, signal: scope.signal });
  return { name: "jibe", pid: server.pid, [Symbol.asyncDispose]: () => server.terminate() };
};

/** What a process has used so far: CPU seconds, and the most memory it ever held. */
export async function usageOf(pid: number): Promise<{ readonly cpuSeconds: number; readonly peakMb: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuSeconds: ticks / 100, peakMb: peakKb / 1024 };
}
