const maxBufferedBytes = 64 * 1024;
const maxChunkBytes = 1024;

export interface StdioChunk {
  readonly channel: "stdout" | "stderr";
  readonly data: Uint8Array;
}

/** Holds what a plugin prints until the host reads it. When nobody reads, the oldest is dropped. */
export class StdioSource {
  readonly #chunks: StdioChunk[] = [];
  #bytes = 0;
  #wake: (() => void) | undefined;

  write(channel: StdioChunk["channel"], data: Uint8Array): void {
    for (let start = 0; start < data.length; start += maxChunkBytes) {
      const part = data.slice(start, start + maxChunkBytes);
      this.#chunks.push({ channel, data: part });
      this.#bytes += part.length;
    }
    while (this.#bytes > maxBufferedBytes) this.#bytes -= this.#chunks.shift()?.data.length ?? 0;
    this.#wake?.();
  }

  /** Yields chunks until the signal is aborted. One reader at a time gets them. */
  async *read(signal: AbortSignal): AsyncGenerator<StdioChunk> {
    while (!signal.aborted) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bytes -= chunk.data.length;
        yield chunk;
        continue;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
  }
}
