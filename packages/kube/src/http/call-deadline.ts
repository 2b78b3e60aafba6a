import { AppError, type Clock, type Scope } from "@jibe/base";

/**
 * A signal that ends with the scope or when the time is up, whichever is first. Made for calls by the ten thousand:
 * one controller, one listener, one timer.
 */
export class CallDeadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: Disposable;

  readonly #message: () => string;
  #expired = false;

  constructor({ ms, clock, what }: { ms: number; clock: Clock; what: () => string }, scope: Pick<Scope, "signal">) {
    this.#outer = scope.signal;
    this.#message = () => `${what()}: no answer within ${ms} ms`;
    this.#outer.addEventListener("abort", this.#stop);
    if (this.#outer.aborted) this.#stop();
    this.#timer = clock.after(ms, () => {
      this.#expired = !this.#controller.signal.aborted;
      this.#controller.abort(this.expiredAfter(undefined));
    });
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer.reason);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the time that ended the call, and not the scope. */
  get expired(): boolean {
    return this.#expired;
  }

  /** The error of a call that ran out of time, with what went wrong before. */
  expiredAfter(cause: unknown): AppError {
    return new AppError("DeadlineExceeded", this.#message(), { cause });
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#outer.removeEventListener("abort", this.#stop);
  }
}
