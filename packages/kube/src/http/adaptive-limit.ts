import type { Clock, Scope } from "@jibe/base";

/** How a call ended, as far as the load of the server is concerned. */
export type CallOutcome = "ok" | "throttled" | "failed" | "ignored";

export interface AdaptiveLimitOptions {
  readonly clock: Clock;
  readonly max: number;
  readonly min?: number;
}

/** A permission to run one call; `end` gives it back, once, and tells what was learnt. */
export interface Slot {
  end(outcome: CallOutcome): void;
}

const throttledFactor = 0.5;
const failedFactor = 0.7;
const slowFactor = 0.9;
/** Latency counts as rising when it is this many times what the server has shown it can do … */
const slowRatio = 4;
/** … and long enough to matter: on an idle machine a factor of four is noise. */
const slowFloorMs = 250;

/**
 * Bounds how many calls run at once and follows what the server can take: halves on 429, shrinks on 5xx and when the time
 * to answer rises, grows by one per round of successful calls while it is the limit that holds callers back. One
 * overload counts once: calls that started before the last step down do not cause another.
 */
export class AdaptiveLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #min: number;
  readonly #waiting: Array<() => void> = [];
  readonly #latency = new Map<string, Latency>();
  #limit: number;
  #running = 0;
  #throttled = 0;
  #reducedAtMs = Number.NEGATIVE_INFINITY;
  /** When the limit was last reached: calls under way then tell whether it may grow. */
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, max, min = 2 }: AdaptiveLimitOptions) {
    this.#clock = clock;
    this.#max = Math.max(1, max);
    this.#min = Math.min(Math.max(1, min), this.#max);
    this.#limit = this.#max;
  }

  /** Calls that the server refused for now, so far. */
  get throttled(): number {
    return this.#throttled;
  }

  /** How many calls may run at once now. */
  get current(): number {
    return Math.floor(this.#limit);
  }

  /** A slot at once if one is free, else a promise of one, in order of asking. `kind` groups calls of similar cost. */
  enter(kind: string, scope: Pick<Scope, "signal">): Slot | Promise<Slot> {
    scope.signal.throwIfAborted();
    if (this.#waiting.length === 0 && this.#running < this.current) return this.#begin(kind);
    return this.#wait(kind, scope);
  }

  #wait(kind: string, { signal }: Pick<Scope, "signal">): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener("abort", stop);
        resolve(this.#begin(kind));
      };
      const stop = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(signal.reason);
      };
      this.#waiting.push(admit);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  #begin(kind: string): Slot {
    this.#running++;
    const startedMs = this.#clock.monotonicMs();
    if (this.#running >= this.current) this.#fullAtMs = startedMs;
    let ended = false;
    return {
      end: (outcome) => {
        if (!ended) this.#end(kind, startedMs, outcome);
        ended = true;
      },
    };
  }

  #end(kind: string, startedMs: number, outcome: CallOutcome): void {
    const wasFull = this.#fullAtMs >= startedMs;
    this.#running--;
    if (outcome === "throttled") {
      this.#throttled++;
      this.#reduce(throttledFactor, startedMs);
    } else if (outcome === "failed") this.#reduce(failedFactor, startedMs);
    else if (outcome === "ok") {
      const slow = this.#latencyOf(kind).isSlow(this.#clock.monotonicMs() - startedMs);
      if (slow && wasFull) this.#reduce(slowFactor, startedMs);
      else if (wasFull) this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    }
    while (this.#running < this.current && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  #reduce(factor: number, startedMs: number): void {
    if (startedMs < this.#reducedAtMs) return;
    this.#reducedAtMs = this.#clock.monotonicMs();
    this.#limit = Math.max(this.#min, this.#limit * factor);
  }

  #latencyOf(kind: string): Latency {
    const known = this.#latency.get(kind);
    if (known) return known;
    const fresh = new Latency();
    this.#latency.set(kind, fresh);
    return fresh;
  }
}

/** Recent time to answer against the best that was seen; the best fades, since a server may become slower for good. */
class Latency {
  #recentMs: number | undefined;
  #bestMs = Number.POSITIVE_INFINITY;

  isSlow(ms: number): boolean {
    this.#recentMs = this.#recentMs === undefined ? ms : this.#recentMs * 0.9 + ms * 0.1;
    this.#bestMs = Math.min(this.#bestMs * 1.01, this.#recentMs);
    return this.#recentMs > slowFloorMs && this.#recentMs > this.#bestMs * slowRatio;
  }
}
