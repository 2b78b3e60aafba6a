import type { Clock, Scope } from "@jibe/base";
import type { ServerParts } from "./server-parts.ts";

const freshMs = 60_000;

/** Counts backups and restores for the metrics, at most once a minute however often it is asked. */
export function runCounter(
  clock: Clock,
): (parts: Pick<ServerParts, "backups" | "restores" | "metrics">, scope: Scope) => Promise<void> {
  let countedMs = Number.NEGATIVE_INFINITY;
  return async ({ backups, restores, metrics }, scope) => {
    if (clock.monotonicMs() - countedMs < freshMs) return;
    countedMs = clock.monotonicMs();
    const [allBackups, allRestores] = await Promise.all([backups.list({}, scope), restores.list({}, scope)]);
    metrics.runsCounted({ backups: allBackups.length, restores: allRestores.length });
  };
}
