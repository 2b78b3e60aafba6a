import type { Clock } from "@jibe/base";
import { kubernetesTime } from "@jibe/engine";

/** What the status of a run says that fails as a whole, now. */
export function failedStatus(failureReason: string, { clock }: { readonly clock: Clock }) {
  return { phase: "Failed", failureReason, completionTimestamp: kubernetesTime(clock.now()) } as const;
}
