import { annotations } from "../../api/names.ts";
import type { Backup, Restore } from "../../api/resources.ts";

/** An asynchronous operation of a run, as far as a view shows it. */
export interface OperationProgress {
  /** What it works on: `persistentvolumeclaims shop/data`. */
  readonly item: string;
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly units: string;
  readonly description: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number | undefined;
  readonly updatedMs: number | undefined;
}

/** Where a run stands. */
export interface RunProgress {
  readonly kind: "backup" | "restore";
  readonly phase: string;
  /** What the server is at: a type, or the wave and the item of a restore. Empty when it does not say. */
  readonly place: string;
  readonly done: number;
  readonly total: number;
  /** Items a second, over the last seconds. */
  readonly perSecond: number;
  readonly elapsedMs: number;
  readonly queuePosition: number;
  readonly operations: { readonly attempted: number; readonly ended: number };
}

interface Sample {
  readonly atMs: number;
  readonly done: number;
}

const windowMs = 15_000;

/** Follows a run from look to look and tells its speed. */
export class ProgressMeter {
  readonly #kind: "backup" | "restore";
  readonly #startedMs: number;
  #samples: Sample[] = [];

  constructor(kind: "backup" | "restore", nowMs: number) {
    this.#kind = kind;
    this.#startedMs = nowMs;
  }

  look({ metadata, status }: Backup | Restore, nowMs: number): RunProgress {
    const fields = (status ?? {}) as Readonly<Record<string, unknown>>;
    const progress = (fields["progress"] ?? {}) as Readonly<Record<string, number | undefined>>;
    const count = (key: string) => Number(fields[`${this.#kind}ItemOperations${key}`] ?? 0);
    const done = progress[this.#kind === "backup" ? "itemsBackedUp" : "itemsRestored"] ?? 0;
    return {
      kind: this.#kind,
      phase: status?.phase ?? "New",
      place: metadata.annotations?.[annotations.runPlace] ?? "",
      done,
      total: progress["totalItems"] ?? 0,
      perSecond: this.#speed({ atMs: nowMs, done }),
      elapsedMs: nowMs - this.#startedMs,
      queuePosition: Number(fields["queuePosition"] ?? 0),
      operations: { attempted: count("Attempted"), ended: count("Completed") + count("Failed") },
    };
  }

  #speed(now: Sample): number {
    this.#samples = [...this.#samples.filter(({ atMs }) => now.atMs - atMs <= windowMs), now];
    const [first = now] = this.#samples;
    const seconds = (now.atMs - first.atMs) / 1000;
    return seconds > 0 ? Math.max(0, (now.done - first.done) / seconds) : 0;
  }
}
