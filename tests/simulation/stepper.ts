/**
 * Runs simulated time in single steps. All code under simulation waits in `turn`, for the clock, or for work of its own process such
 * as compression; Node says when nothing of the latter is left (`beforeExit`), and only then the next step is taken. So the order
 * of everything is the stepper's choice. It needs a process of its own: timers, sockets or a channel to a parent would keep it awake.
 */
export class Stepper {
  readonly #step: () => boolean | Promise<boolean>;
  readonly #ended = Promise.withResolvers<void>();

  /** `step` takes one step; false when there is none left. */
  constructor(step: () => boolean | Promise<boolean>) {
    this.#step = step;
  }

  /** Steps until there is nothing left to do. */
  async run(): Promise<void> {
    const onIdle = () => void setImmediate(() => void this.#take());
    process.on("beforeExit", onIdle);
    try {
      await this.#ended.promise;
    } finally {
      process.off("beforeExit", onIdle);
    }
  }

  async #take(): Promise<void> {
    try {
      if (!(await this.#step())) this.#ended.resolve();
    } catch (error) {
      this.#ended.reject(error);
    }
  }
}
