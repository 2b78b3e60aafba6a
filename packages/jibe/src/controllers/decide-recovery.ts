/** How often a run is started over after its server ended, before it is given up. */
const mostAttempts = 3;

export type Recovery = { readonly kind: "rerun" } | { readonly kind: "fail"; readonly reason: string };

/** What happens to a run that was in progress when the server that had it ended. */
export function decideRecovery(run: {
  readonly kind: "backup" | "restore";
  /** How often it was started so far. */
  readonly attempts: number;
  readonly onRestart: "rerun" | "fail";
}): Recovery {
  if (run.onRestart === "fail") {
    return {
      kind: "fail",
      reason: `found a ${run.kind} with status "InProgress" during the server starting, mark it as "Failed"`,
    };
  }
  if (run.attempts >= mostAttempts) {
    return {
      kind: "fail",
      reason: `the server ended ${run.attempts} times while it ran this ${run.kind}; it is given up`,
    };
  }
  return { kind: "rerun" };
}
