import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Writable } from "node:stream";
import { AppError, type Scope, systemClock, withDeadline } from "@jibe/base";
import { inheritedEnv } from "./environment.ts";

export interface PeerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Where the log goes. Removed by the watchdog when this process dies without ending the peer. */
  readonly dir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The log's name, when the program's own is not enough. */
  readonly name?: string;
}

/** A running program. Disposing ends it and all it started. */
export interface PeerProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** All that it printed so far. */
  logs(): string;
  /** Whether it still runs. */
  isRunning(): boolean;
  /** Ends it at once and waits until it is gone. Does nothing when it has ended. */
  kill(): Promise<void>;
  /** Asks it to end, waits for that, and ends it at once after `graceMs`. */
  terminate(graceMs?: number): Promise<void>;
}

// The shell leaves a watchdog in the program's process group and then becomes the program. The watchdog reads a pipe
// that only we hold: when it ends without a word, we died, and the group and its folder have to go.
const underWatchdog = `
( if read -r _ <&3; then :; else kill -s KILL $$; rm -rf "$0"; fi; kill -s KILL -- -$$ ) >/dev/null 2>&1 &
exec "$@" 3<&-`;

/** Starts a program in a process group of its own; it ends with this process, however that ends. */
export async function startPeerProcess(options: PeerProcessOptions): Promise<PeerProcess> {
  const { program, args, dir, env = {}, name = basename(program) } = options;
  const logFile = join(dir, `${name}.log`);
  const log = openSync(logFile, "a");
  const child = spawn("/bin/sh", ["-c", underWatchdog, dir, program, ...args], {
    cwd: dir,
    env: inheritedEnv({ TMPDIR: dir, ...env }),
    stdio: ["ignore", log, log, "pipe"],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve(endGroup(child))));
  await Promise.race([once(child, "spawn"), once(child, "error").then(([error]) => Promise.reject(error))]);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (isRunning()) child.kill("SIGKILL");
    await exited;
  };
  return {
    name,
    pid: child.pid ?? -1,
    logs: () => readFileSync(logFile, "utf8"),
    isRunning,
    kill,
    async terminate(graceMs = 5_000) {
      if (isRunning()) child.kill("SIGTERM");
      using _timer = systemClock.after(graceMs, () => child.kill("SIGKILL"));
      await exited;
    },
    [Symbol.asyncDispose]: kill,
  };
}

/** The word to the watchdog: the program has ended and its folder stays; end what it left running, and yourself. */
function endGroup(child: ChildProcess): void {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Writable)) return;
  pipe.on("error", () => {}); // the watchdog may be gone already
  pipe.end("ended\n", () => pipe.destroy());
}

/** Waits until `isReady` says so. Fails with the end of the log when the process dies first or the time is up. */
export async function untilReady(
  peer: PeerProcess,
  isReady: (scope: Scope) => Promise<boolean>,
  scope: Scope,
  timeoutMs = 90_000,
): Promise<void> {
  try {
    await withDeadline({ ms: timeoutMs, clock: systemClock, what: `starting ${peer.name}` }, scope, async (inner) => {
      while (!(await isReady(inner).catch(() => false))) {
        inner.signal.throwIfAborted();
        if (!peer.isRunning()) throw new AppError("Unavailable", `${peer.name} ended while it was starting`);
        await systemClock.sleep(50, inner);
      }
    });
  } catch (cause) {
    scope.signal.throwIfAborted();
    const tail = peer.logs().split("\n").slice(-15).join("\n");
    await peer.kill();
    throw new AppError("Unavailable", `cannot start ${peer.name}; its log ends with:\n${tail}`, { cause });
  }
}
