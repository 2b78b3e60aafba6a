import { AppError, type Scope } from "@jibe/base";
import { isEnded } from "@jibe/engine";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import type { ClusterAccess } from "../cluster-access.ts";
import type { CliWorld } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { createRunView } from "./run-view.ts";

export interface RunName {
  readonly kind: "backup" | "restore";
  readonly name: string;
}

export interface WaitContext {
  readonly access: ClusterAccess;
  readonly world: CliWorld;
  readonly flags: { readonly quiet: boolean; readonly veleroExitCodes: boolean };
}

const reconnectMs = 1000;

/** Shows a run until it has ended; gives the exit code that tells how. Leaving with Ctrl-C leaves the run alone. */
export async function waitForEnd(run: RunName, { access, world, flags }: WaitContext, scope: Scope): Promise<ExitCode> {
  const { out } = world;
  const type = veleroTypes[run.kind];
  if (!flags.quiet)
    out.line(
      `Waiting for ${run.kind} to complete. You may safely press ctrl-c to stop waiting - your ${run.kind} will continue in the background.`,
    );
  using view = createRunView(run.kind, { world, quiet: flags.quiet });
  const stopping = new AbortController();
  const inner: Scope = { ...scope, signal: AbortSignal.any([scope.signal, stopping.signal]) };
  try {
    while (true) {
      const now = await access.get<Backup | Restore>(type, run.name, inner);
      view.show(now);
      if (isEnded(now.status?.phase)) return conclude(run, now, view.close, { world, flags });
      await nextChange(now, type, access, inner);
    }
  } finally {
    stopping.abort(new Error("done waiting"));
  }

  async function nextChange(
    now: Backup | Restore,
    kind: typeof type,
    from: ClusterAccess,
    within: Scope,
  ): Promise<void> {
    const options = {
      namespace: from.namespace,
      fieldSelector: `metadata.name=${run.name}`,
      resourceVersion: now.metadata.resourceVersion ?? "",
    };
    try {
      for await (const event of from.client.watch(kind, options, within)) {
        if (event.type === "DELETED")
          throw new AppError("NotFound", `${run.kind} ${JSON.stringify(run.name)} was deleted`);
        return;
      }
    } catch (error) {
      within.signal.throwIfAborted();
      if (error instanceof AppError && error.code === "NotFound") throw error;
      await world.clock.sleep(reconnectMs, within);
    }
  }
}

function conclude(
  { kind, name }: RunName,
  object: Backup | Restore,
  closeView: () => void,
  { world, flags }: Pick<WaitContext, "world" | "flags">,
): ExitCode {
  closeView();
  const phase = object.status?.phase ?? "";
  const style = phase === "Completed" ? "green" : phase === "PartiallyFailed" ? "yellow" : "red";
  const title = kind === "backup" ? "Backup" : "Restore";
  world.out.line(
    `${title} completed with status: ${world.out.style(style, phase)}. You may check for more information using the commands \`jibe ${kind} describe ${name}\` and \`jibe ${kind} logs ${name}\`.`,
  );
  for (const error of object.status?.validationErrors ?? []) world.out.note(`  ${error}`);
  if (object.status?.failureReason) world.out.note(`  ${object.status.failureReason}`);
  if (flags.veleroExitCodes || phase === "Completed") return exitCode.ok;
  return phase === "PartiallyFailed" ? exitCode.partiallyFailed : exitCode.failed;
}
