const slabBytes = 64 * 1024;

/** Where bytes lie: cheaper to keep by the ten thousand than a view of them each. */
export interface Span {
  readonly slab: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps encoded objects side by side in large blocks. Buffers of their own would share their blocks with short-lived
 * ones, and each object would keep a multiple of its size in memory.
 */
export class ByteArena {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** The bytes of a text. They stay as long as anyone refers to their slab. */
  encode(text: string): Span {
    // UTF-8 takes at most three bytes for each unit of a JavaScript string.
    if (text.length * 3 > slabBytes / 4) return spanOf(Buffer.from(text));
    if (this.#slab.length - this.#used < text.length * 3) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#slab.write(text, start);
    return { slab: this.#slab, start, end: this.#used };
  }
}

/** A buffer of its own. */
export const spanOf = (slab: Buffer): Span => ({ slab, start: 0, end: slab.length });
