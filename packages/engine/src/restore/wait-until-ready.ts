import { formatGoDuration, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { RestoreAction } from "../ports/plugins.ts";
import { pollUntil } from "./poll-until.ts";
import type { ItemWork } from "./restore-run.ts";

/** How long the question asked at the deadline itself may take. */
const lastCallMs = 10_000;

/**
 * Waits until an action says that what it brought along is ready. Being told no until the time is up, and being told of an error, are
 * recorded as errors of the item; either way the item goes on.
 */
export async function waitUntilReady(
  { run, report }: ItemWork,
  wait: {
    readonly action: RestoreAction;
    readonly items: readonly ResourceIdentifier[];
    readonly ownTimeoutMs: number;
  },
  scope: Scope,
): Promise<void> {
  const { action, items, ownTimeoutMs } = wait;
  const { clock } = run.ports;
  const { additionalItemsReadyTimeoutMs = run.settings.resourceTimeoutMs } = run.settings;
  const timeoutMs = ownTimeoutMs !== 0 ? ownTimeoutMs : additionalItemsReadyTimeoutMs;
  const fail = (cause: string) =>
    report.error(`error verifying additional items are ready to use: plugin ${action.name}: ${cause}`, {
      step: "wait for additional items",
      plugin: action.name,
    });
  const isReady = (remainingMs: number) =>
    withDeadline(
      {
        ms: Math.max(remainingMs, lastCallMs),
        clock,
        what: `asking plugin ${action.name} whether additional items are ready`,
      },
      scope,
      (inner) => action.areAdditionalItemsReady(items, run.restore, inner),
    );
  try {
    const limits = { clock, timeoutMs, firstDelayMs: 1000, maxDelayMs: 5000 };
    if (!(await pollUntil(isReady, limits, scope))) fail(`not ready within ${formatGoDuration(timeoutMs)}`);
  } catch (error) {
    scope.signal.throwIfAborted();
    fail(messageOf(error));
  }
}
