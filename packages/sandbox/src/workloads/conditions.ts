import { listAt, textAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

export const timeText = (time: Date) => time.toISOString().replace(/\.\d+Z$/, "Z");

/** Conditions with the time of their last transition kept while the status stays the same. */
export function conditionsOf(object: KubeObject, wanted: readonly Condition[], now: Date): Record<string, unknown>[] {
  const current = listAt(object, "status.conditions");
  return wanted.map((condition) => {
    const before = current.find((entry) => textAt(entry, "type") === condition.type);
    const isSame = before !== undefined && textAt(before, "status") === condition.status;
    const isUnchanged =
      isSame &&
      textAt(before, "reason") === (condition.reason ?? "") &&
      textAt(before, "message") === (condition.message ?? "");
    const since = isSame ? textAt(before, "lastTransitionTime") : "";
    const updated = isUnchanged ? textAt(before, "lastUpdateTime") : "";
    return {
      ...condition,
      lastTransitionTime: since || timeText(now),
      ...(hasUpdateTime.has(condition.type) ? { lastUpdateTime: updated || timeText(now) } : {}),
    };
  });
}

/** Deployments alone note when a condition was last touched. */
const hasUpdateTime = new Set(["Available", "Progressing", "ReplicaFailure"]);
