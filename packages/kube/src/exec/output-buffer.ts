/** Collects a stream up to a limit; what comes after it is counted and dropped. */
export class OutputBuffer {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #keptBytes = 0;
  #droppedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTruncated(): boolean {
    return this.#droppedBytes > 0;
  }

  push(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#maxBytes - this.#keptBytes);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#keptBytes += kept.length;
    this.#droppedBytes += chunk.length - kept.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The last of it as text, for errors. */
  tail(): string {
    return this.bytes().toString("utf8").slice(-1000);
  }
}
