import { AppError, type Clock } from "@jibe/base";

/** Ends a stream that the plugin does not move on with. Time that our own side takes does not count. */
export class IdleWatch implements Disposable {
  readonly #limit: { readonly ms: number; readonly clock: Clock; readonly what: string };
  readonly #controller = new AbortController();
  #timer: Disposable | undefined;

  constructor(limit: { readonly ms: number; readonly clock: Clock; readonly what: string }) {
    this.#limit = limit;
    this.waitForPlugin();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the plugin has to move. */
  waitForPlugin(): void {
    this.waitForUs();
    const { ms, clock, what } = this.#limit;
    this.#timer = clock.after(ms, () =>
      this.#controller.abort(new AppError("DeadlineExceeded", `${what} did not move for ${ms} ms`)),
    );
  }

  /** The plugin has done its part for now. */
  waitForUs(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Rejects with the reason once the stream was given up, whether or not `work` notices. */
  async guard<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = () => reject(this.signal.reason);
    if (this.signal.aborted) stop();
    this.signal.addEventListener("abort", stop, { once: true });
    return await Promise.race([work, promise]).finally(() => this.signal.removeEventListener("abort", stop));
  }

  /** What is sent to the plugin: it has to move while a chunk is on its way, not while we make the next. */
  async *sending<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
    this.waitForUs();
    for await (const chunk of chunks) {
      this.waitForPlugin();
      yield chunk;
      this.waitForUs();
    }
    this.waitForPlugin();
  }

  [Symbol.dispose](): void {
    this.waitForUs();
  }
}
