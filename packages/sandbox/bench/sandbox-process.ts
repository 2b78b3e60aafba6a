import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerAddress } from "./bench-client.ts";

/** Bundles a TypeScript program into one JavaScript file. */
export type Bundle = (entry: string, outfile: string) => Promise<void>;

/** A sandbox in a process of its own, so that its memory and time are its own too. */
export interface SandboxProcess extends ServerAddress, AsyncDisposable {
  readonly pid: number;
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Starts the sandbox as users have it: as JavaScript, its tables beside it. */
export async function startSandboxProcess(bundle: Bundle): Promise<SandboxProcess> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-bench-"));
  await using started = new AsyncDisposableStack();
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, "sandbox.mjs");
  await bundle(fileOf("./sandbox-program.ts"), program);
  await cp(fileOf("../src/registry/gen"), join(folder, "gen"), { recursive: true });
  const child = fork(program, { execArgv: [] });
  started.defer(() => end(child));
  const [address] = (await once(child, "message")) as [ServerAddress];
  const running = started.move();
  return { ...address, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill();
  await exit;
}
