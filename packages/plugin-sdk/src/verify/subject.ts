import { AppError, type Clock, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { PluginProcess } from "@jibe/go-plugin";
import type { AnnouncedPlugin } from "../wire/index.ts";
import type { Checks } from "./report.ts";

/** One plugin under examination. */
export interface Subject {
  readonly plugin: AnnouncedPlugin;
  readonly process: PluginProcess;
  readonly checks: Checks;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** What stores and snapshotters are initialised with, if the caller gave it. */
  readonly config: Readonly<Record<string, string>> | undefined;
}

/** Runs one check of a plugin under its time limit. */
export function check(
  subject: Subject,
  name: string,
  scope: Scope,
  work: (scope: Scope) => Promise<void>,
): Promise<boolean> {
  const { plugin, checks, timeoutMs: ms, clock } = subject;
  return checks.run(`${plugin.kind} ${plugin.name}`, name, scope, () =>
    withDeadline({ ms, clock, what: name }, scope, work),
  );
}

/**
 * Without a cluster many plugins cannot do their work. Then they must say so in words; what they must not do is crash, hang,
 * or answer without a text.
 */
export async function answerOrExplain<T>(work: Promise<T>, process: PluginProcess): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "DeadlineExceeded") throw error;
    if (process.exit) throw new AppError("Unavailable", process.describeEnd(process.exit));
    if (error.code === "Unavailable" || error.fields["grpcCode"] === "RESOURCE_EXHAUSTED") throw error;
    if (messageOf(error).trim() === "") throw new AppError("Internal", "it failed without saying why");
    return undefined;
  }
}

/** Fails with a text unless the condition holds. */
export function must(condition: boolean, what: string): void {
  if (!condition) throw new AppError("InvalidArgument", what);
}
