import { readFileSync } from "node:fs";
import { systemClock } from "@jibe/base";

/** Waits for a condition, with a deadline. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const signal = AbortSignal.timeout(ms);
  while (!(await condition())) await systemClock.sleep(10, { signal });
}

/** Whether a process runs; one that ended but was not collected yet does not count. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
