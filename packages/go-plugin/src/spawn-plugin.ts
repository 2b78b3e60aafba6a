import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { AppError } from "@jibe/base";
import { guardProcessGroup } from "./plugin-guard.ts";

/** How a process ended: with a code or by a signal. */
export interface ExitInfo {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** Says in words how a process ended. */
export function describeExit({ code, signal }: ExitInfo): string {
  return signal !== undefined ? `was ended by ${signal}` : `exited with status ${code}`;
}

export interface SpawnedProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the process is gone and its output was read; a descendant that holds the pipes delays it a little. */
  readonly exited: Promise<ExitInfo>;
  /** Ends the process and its descendants at once. */
  kill(): void;
}

// The program starts only once the guard knows of it: the shell waits for a line and then becomes the program.
const waitThenBecome = 'read -r _ <&3 || exit 1; exec "$@" 3<&-';

/** Starts a program in its own process group, under guard. `socketDir` is removed if this process dies first. */
export function spawnPlugin(spec: {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly socketDir: string;
}): SpawnedProcess {
  const child = spawn("/bin/sh", ["-c", waitThenBecome, "sh", spec.command, ...spec.args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
    env: { ...spec.env },
  });
  const exited = exitOf(child);
  const { pid, stdout, stderr } = child;
  const start = child.stdio[3] as Writable | null;
  if (pid === undefined || !stdout || !stderr || !start) {
    exited.catch(() => {}); // reported here
    throw new AppError("Unavailable", `cannot start ${spec.command}: no process could be made`);
  }
  const guard = guardProcessGroup(pid, spec.socketDir);
  exited.finally(() => guard[Symbol.dispose]()).catch(() => {});
  start.on("error", () => {}); // the process died at once; its exit tells more
  start.end("\n");
  return { pid, stdout, stderr, exited, kill: () => killGroup(pid) };
}

function exitOf(child: ChildProcess): Promise<ExitInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<ExitInfo>();
  child.once("error", reject);
  child.once("exit", (code, signal) => {
    const info = { code: code ?? undefined, signal: signal ?? undefined };
    child.once("close", () => resolve(info));
    // Whoever survives in the group keeps the pipes open; nothing of a dead plugin may.
    if (child.pid !== undefined) killGroup(child.pid);
  });
  return promise;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // no such process any more: what was wanted
  }
}
