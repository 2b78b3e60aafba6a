/** Reads a stream of chunks in pieces of the size the caller wants. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();
  #offset = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes at once if they are at hand; a view that stays valid. */
  readNow(length: number): Uint8Array | undefined {
    if (this.#chunk.length - this.#offset < length) return undefined;
    this.#offset += length;
    return this.#chunk.subarray(this.#offset - length, this.#offset);
  }

  /** The next `length` bytes; fewer only at the end of the stream. */
  async read(length: number): Promise<Uint8Array> {
    const atHand = this.readNow(length);
    if (atHand) return atHand;
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const piece = await this.readSome(length - filled);
      if (piece.length === 0) return bytes.subarray(0, filled);
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return bytes;
  }

  /** Between 1 and `length` bytes, whatever is at hand; none at the end of the stream. */
  async readSome(length: number): Promise<Uint8Array> {
    while (this.#offset === this.#chunk.length) {
      const next = await this.#source.next();
      if (next.done) return new Uint8Array();
      this.#chunk = next.value;
      this.#offset = 0;
    }
    const end = Math.min(this.#chunk.length, this.#offset + length);
    const piece = this.#chunk.subarray(this.#offset, end);
    this.#offset = end;
    return piece;
  }

  /** Tells the source that no more is wanted. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
