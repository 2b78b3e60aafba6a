import { AppError, type Clock, hasCode, type Scope, withDeadline } from "@jibe/base";
import type { GrpcStatus, PluginProcess } from "@jibe/go-plugin";
import { type AnnouncedPlugin, errorFromPlugin } from "../wire/index.ts";
import type { Checks } from "./report.ts";

/** One plugin under examination. */
export interface Subject {
  readonly plugin: AnnouncedPlugin;
  /** A process that runs: a new one if an earlier check made the last one die. */
  readonly process: (scope: Scope) => Promise<PluginProcess>;
  readonly checks: Checks;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** What stores and snapshotters are initialised with, if the caller gave it. */
  readonly config: Readonly<Record<string, string>> | undefined;
}

const exitNoticeMs = 1000;
const withoutReason = "it failed without saying why";

/** The error of a call, as a host has it; but a plugin that gave no text is not helped to one. */
export function errorInTrial(status: GrpcStatus): AppError {
  return status.message.trim() === "" ? new AppError("Internal", withoutReason) : errorFromPlugin(status);
}

/** Runs one check of a plugin under its time limit. If the process dies of it, that is what the report says. */
export function check(
  subject: Subject,
  name: string,
  scope: Scope,
  work: (process: PluginProcess, scope: Scope) => Promise<void>,
): Promise<boolean> {
  const { plugin, checks, timeoutMs: ms, clock } = subject;
  return checks.run(`${plugin.kind} ${plugin.name}`, name, scope, async () => {
    const process = await subject.process(scope);
    try {
      await withDeadline({ ms, clock, what: name }, scope, (inner) => work(process, inner));
    } catch (error) {
      if (hasCode(error, "Unavailable")) await exitOrTimeout(process, clock);
      if (process.exit) throw new AppError("Unavailable", process.describeEnd(process.exit));
      throw error;
    }
  });
}

/** The connection breaks a little before the system tells that the process is gone. */
async function exitOrTimeout(process: PluginProcess, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.after(exitNoticeMs, resolve);
  await Promise.race([process.exited, promise]);
}

/**
 * Without a cluster many plugins cannot do their work. Then they must say so in words; what they must not do is crash, hang,
 * or answer without a text.
 */
export async function answerOrExplain<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "DeadlineExceeded") throw error;
    const { grpcCode } = error.fields;
    const isCaughtPanic = grpcCode === "ABORTED"; // as Velero's framework answers: the plugin lives, and says why
    if (error.code === "Unavailable" && !isCaughtPanic) throw error;
    if (grpcCode === "RESOURCE_EXHAUSTED") throw error;
    if (error.message === withoutReason) throw error;
    return undefined;
  }
}

/** Fails with a text unless the condition holds. */
export function must(condition: boolean, what: string): void {
  if (!condition) throw new AppError("InvalidArgument", what);
}
