import { AppError, messageOf, type Scope } from "@jibe/base";
import { isEnded, isWaiting } from "@jibe/engine";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import type { ClusterAccess } from "../cluster-access.ts";
import type { CliWorld } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printWrapped } from "../print/wrap-text.ts";
import { counted } from "./amounts.ts";
import { readOperations } from "./read-operations.ts";
import { createRunView, type RunView } from "./run-view.ts";

export interface RunName {
  readonly kind: "backup" | "restore";
  readonly name: string;
}

export interface WaitContext {
  readonly access: ClusterAccess;
  readonly world: CliWorld;
  readonly flags: { readonly quiet: boolean; readonly veleroExitCodes: boolean };
  /** Show the run alone, without words of advice. */
  readonly brief?: boolean;
}

type Run = Backup | Restore;

const reconnectMs = 1000;
const operationsMs = 2000;

/** Shows a run until it has ended; gives the exit code that tells how. Leaving with Ctrl-C leaves the run alone. */
export async function waitForEnd(run: RunName, context: WaitContext, scope: Scope): Promise<ExitCode> {
  const { world, flags } = context;
  if (!flags.quiet && !context.brief)
    printWrapped(
      world.out,
      `Waiting for ${run.kind} to complete. You may safely press ctrl-c to stop waiting - your ${run.kind} will continue in the background.`,
    );
  const ended = await follow(run, context, scope);
  return conclude(run, ended, context);
}

async function follow(run: RunName, context: WaitContext, scope: Scope): Promise<Run> {
  const { access, world, flags } = context;
  using view = createRunView(run.kind, { world, quiet: flags.quiet, indent: context.brief ? 3 : 0 });
  const stopping = new AbortController();
  const inner: Scope = { ...scope, signal: AbortSignal.any([scope.signal, stopping.signal]) };
  let latest: Run | undefined;
  const operations =
    flags.quiet || !world.out.terminal ? undefined : showOperations(run, () => latest, view, context, inner);
  try {
    while (true) {
      latest = await access.get<Run>(veleroTypes[run.kind], run.name, inner);
      view.show(latest);
      if (isEnded(latest.status?.phase)) return latest;
      await nextChange(latest, run, context, inner);
    }
  } finally {
    stopping.abort(new Error("done waiting"));
    await operations;
  }
}

/** Reads the operations of a run every few seconds while it waits for them. They are an extra: what fails is left out. */
async function showOperations(
  run: RunName,
  latest: () => Run | undefined,
  view: RunView,
  context: WaitContext,
  scope: Scope,
): Promise<void> {
  while (!scope.signal.aborted) {
    try {
      if (isWaiting(latest()?.status?.phase)) view.showOperations(await readOperations(run, context, scope));
      await context.world.clock.sleep(isWaiting(latest()?.status?.phase) ? operationsMs : reconnectMs / 4, scope);
    } catch (error) {
      if (scope.signal.aborted) return;
      scope.log.debug("cannot read the operations of the run", { error: messageOf(error) });
      await context.world.clock.sleep(operationsMs * 5, scope).catch(() => {}); // only being stopped makes it fail
    }
  }
}

async function nextChange(now: Run, run: RunName, { access, world }: WaitContext, scope: Scope): Promise<void> {
  const options = {
    namespace: access.namespace,
    fieldSelector: `metadata.name=${run.name}`,
    resourceVersion: now.metadata.resourceVersion ?? "",
  };
  try {
    for await (const event of access.client.watch(veleroTypes[run.kind], options, scope)) {
      if (event.type === "DELETED")
        throw new AppError("NotFound", `${run.kind} ${JSON.stringify(run.name)} was deleted`);
      return;
    }
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof AppError && error.code === "NotFound") throw error;
    await world.clock.sleep(reconnectMs, scope);
  }
}

function conclude({ kind, name }: RunName, { status }: Run, { world, flags, brief }: WaitContext): ExitCode {
  const { out } = world;
  const phase = status?.phase ?? "";
  const style = phase === "Completed" ? "green" : phase === "PartiallyFailed" ? "yellow" : "red";
  const title = kind === "backup" ? "Backup" : "Restore";
  const advice = ` You may check for more information using the commands \`jibe ${kind} describe ${name}\` and \`jibe ${kind} logs ${name}\`.`;
  const told = `${title} completed with status: ${out.style(style, phase)}.`;
  if (brief) out.line(`   ${told}`);
  else printWrapped(out, told + advice);
  const { errors = 0, warnings = 0 } = status ?? {};
  if (errors + warnings > 0) out.line(`  ${counted(errors, "error")}, ${counted(warnings, "warning")}`);
  for (const error of status?.validationErrors ?? []) out.note(`  ${error}`);
  if (status?.failureReason) out.note(`  ${status.failureReason}`);
  if (flags.veleroExitCodes || phase === "Completed") return exitCode.ok;
  return phase === "PartiallyFailed" ? exitCode.partiallyFailed : exitCode.failed;
}
