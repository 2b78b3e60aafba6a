import { readFile } from "node:fs/promises";

/** What a process has used so far. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  /** The most memory that it ever held. */
  readonly peakMb: number;
}

const ticksPerSecond = 100;

/** Reads what Linux knows about a process: its CPU time without that of its children, and VmHWM. */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN);
  return { cpuSeconds: ticks / ticksPerSecond, peakMb: peakKb / 1024 };
}
