import { AppError, type Clock, messageOf, type Scope, systemClock, withDeadline } from "@jibe/base";
import type { KubeClient } from "../client.ts";
import { LeaseLock } from "./lease-lock.ts";

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Tells this candidate from all others, also from an earlier life of itself. */
  readonly identity: string;
  /** How long others wait after the last renewal before they take over. */
  readonly leaseDurationMs?: number;
  /** How long the holder goes on without a successful renewal; shorter than the lease. */
  readonly renewDeadlineMs?: number;
  /** The time between attempts. */
  readonly retryPeriodMs?: number;
  readonly clock?: Clock;
}

const defaults = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
const releaseLimitMs = 5000;

/**
 * Waits until this candidate holds the lease, then runs `work` while it does. The scope of `work` is stopped before the
 * lease can run out for others, or at once when another holds it; what was lost is then thrown (`Unavailable`). When
 * `work` ends or the outer scope is stopped, the lease is given back after `work` has come to its end.
 */
export async function runWithLease<T>(
  options: LeaseOptions,
  scope: Scope,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  const settings = { clock: systemClock, ...defaults, ...options };
  check(settings);
  const lock = new LeaseLock(settings);
  const { name, identity } = settings;
  const acquiredAtMs = await acquire(lock, settings, scope);
  scope.log.info("lease acquired", { lease: name, identity });
  const holding = new Holding(lock, settings, acquiredAtMs, scope);
  try {
    return await holding.run(work, scope);
  } finally {
    if (!holding.lost) await release(lock, settings, scope);
  }
}

type Settings = Required<LeaseOptions>;

function check({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: Settings): void {
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0) return;
  throw new AppError("InvalidArgument", "a lease must last longer than its renewal deadline, and that than a retry");
}

async function acquire(lock: LeaseLock, { clock, retryPeriodMs, name }: Settings, scope: Scope): Promise<number> {
  let waitingFor: string | undefined;
  while (true) {
    try {
      const result = await lock.claim(scope);
      if (result.held) return result.sentAtMs;
      if (result.holder !== waitingFor) scope.log.info("waiting for a lease", { lease: name, holder: result.holder });
      waitingFor = result.holder;
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.warn("cannot read or write a lease", { lease: name, reason: messageOf(error) });
    }
    await clock.sleep(jittered(retryPeriodMs), scope);
  }
}

/** The time between taking a lease and losing it or giving it back. */
class Holding {
  readonly #lock: LeaseLock;
  readonly #settings: Settings;
  readonly #ending = new AbortController();
  readonly #working: Scope;
  #expiry: Disposable;
  #lost: AppError | undefined;

  constructor(lock: LeaseLock, settings: Settings, acquiredAtMs: number, scope: Scope) {
    this.#lock = lock;
    this.#settings = settings;
    this.#working = { signal: AbortSignal.any([scope.signal, this.#ending.signal]), log: scope.log };
    this.#expiry = this.#armExpiry(acquiredAtMs);
  }

  get lost(): AppError | undefined {
    return this.#lost;
  }

  async run<T>(work: (scope: Scope) => Promise<T>, scope: Scope): Promise<T> {
    const ended = new AbortController();
    const renewing = this.#renew({
      signal: AbortSignal.any([this.#ending.signal, ended.signal]),
      log: scope.log,
    });
    try {
      const result = await work(this.#working);
      if (this.#lost) throw this.#lost;
      return result;
    } catch (error) {
      throw this.#lost ?? error;
    } finally {
      ended.abort(new Error("the work has ended"));
      await renewing;
      this.#expiry[Symbol.dispose]();
    }
  }

  /** Goes on while `work` winds down, too: until it has ended, nobody else may begin. */
  async #renew(scope: Scope): Promise<void> {
    const { clock, retryPeriodMs, name } = this.#settings;
    while (!scope.signal.aborted) {
      try {
        await clock.sleep(retryPeriodMs, scope);
        const result = await this.#lock.claim(scope);
        if (!result.held) return this.#lose(`it is now held by ${JSON.stringify(result.holder)}`);
        this.#expiry[Symbol.dispose]();
        this.#expiry = this.#armExpiry(result.sentAtMs);
      } catch (error) {
        if (scope.signal.aborted) return;
        scope.log.warn("cannot renew a lease", { lease: name, reason: messageOf(error) });
      }
    }
  }

  /** Counts from when the renewal was sent: the server may have taken it no earlier than that. */
  #armExpiry(sentAtMs: number): Disposable {
    const { clock, renewDeadlineMs } = this.#settings;
    const leftMs = renewDeadlineMs - (clock.monotonicMs() - sentAtMs);
    return clock.after(Math.max(0, leftMs), () => this.#lose(`it could not be renewed for ${renewDeadlineMs} ms`));
  }

  #lose(reason: string): void {
    if (this.#lost) return;
    const { name, identity } = this.#settings;
    this.#lost = new AppError("Unavailable", `lost the lease ${JSON.stringify(name)}: ${reason}`, {
      fields: { lease: name, identity },
    });
    this.#ending.abort(this.#lost);
  }
}

async function release(lock: LeaseLock, { clock, name }: Settings, { log }: Scope): Promise<void> {
  // the scope may be stopped already; giving back still has to be sent
  const scope: Scope = { signal: new AbortController().signal, log };
  const limit = { ms: releaseLimitMs, clock, what: "giving a lease back" };
  await withDeadline(limit, scope, (inner) => lock.release(inner)).catch((error: unknown) =>
    log.warn("cannot give a lease back; others will wait for it to run out", { lease: name, reason: messageOf(error) }),
  );
}

function jittered(ms: number): number {
  return ms * (1 + 0.2 * Math.random());
}
