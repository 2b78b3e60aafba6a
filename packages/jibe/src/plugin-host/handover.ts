/** Passes values from a task that gives to a reader that takes, one at a time: giving waits until it was taken. */
export class Handover<T> {
  #slot: { readonly value: T; readonly taken: () => void } | undefined;
  #ended = false;
  #wake: () => void = () => {};

  give(value: T): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#ended) resolve();
    else this.#slot = { value, taken: resolve };
    this.#wake();
    return promise;
  }

  end(): void {
    this.#ended = true;
    this.#slot?.taken();
    this.#wake();
  }

  async *take(): AsyncGenerator<T> {
    while (true) {
      const slot = this.#slot;
      this.#slot = undefined;
      if (slot) {
        try {
          yield slot.value;
        } finally {
          slot.taken(); // also when the taker leaves
        }
      } else if (this.#ended) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }
}
