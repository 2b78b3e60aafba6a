import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/**
 * Names a running process for certain: a process id alone is used again, above all in containers, where it is always the
 * same. `started` is 0 where the system does not tell.
 */
export interface ProcessMark {
  readonly host: string;
  readonly pid: number;
  readonly started: number;
}

/** The mark of this process. */
export async function ownProcessMark(): Promise<ProcessMark> {
  return { host: hostname(), pid: process.pid, started: (await startedAt(process.pid)) ?? 0 };
}

/** Whether a marked process is gone for certain. Of another machine's processes nobody can say so. */
export async function hasEnded(mark: ProcessMark): Promise<boolean> {
  if (mark.host !== hostname()) return false;
  if (!isRunning(mark.pid)) return true;
  const started = await startedAt(mark.pid);
  return started !== undefined && mark.started !== 0 && started !== mark.started;
}

const text = /^(.+)-(\d+)-(\d+)$/;

/** The mark as part of a file name. */
export function markAsText({ host, pid, started }: ProcessMark): string {
  return `${host}-${pid}-${started}`;
}

/** Reads what `markAsText` wrote; undefined for anything else. */
export function markFromText(name: string): ProcessMark | undefined {
  const match = text.exec(name);
  const [, host, pid, started] = match ?? [];
  return host === undefined ? undefined : { host, pid: Number(pid), started: Number(started) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it runs, under another user
  }
}

/** When a process started, in ticks since boot, as Linux tells it. */
async function startedAt(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined); // not on this system, or just ended
  // The second field is the program's name in parentheses and may hold anything; the start time is the 20th after it.
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return ticks === undefined ? undefined : Number(ticks);
}

/** The mark of this process and the question about others, as text, for those who keep marks in files. */
export async function processMarks(): Promise<{ readonly own: string; hasEnded(mark: string): Promise<boolean> }> {
  return {
    own: markAsText(await ownProcessMark()),
    hasEnded: async (text) => {
      const mark = markFromText(text);
      return mark !== undefined && hasEnded(mark);
    },
  };
}
