const slabBytes = 64 * 1024;

/**
 * Keeps encoded objects side by side in large blocks. Buffers of their own would share their blocks with short-lived
 * ones, and each object would keep a multiple of its size in memory.
 */
export class ByteArena {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** The bytes of a text. They stay as long as anyone refers to them. */
  encode(text: string): Buffer {
    // UTF-8 takes at most three bytes for each unit of a JavaScript string.
    if (text.length * 3 > slabBytes / 4) return Buffer.from(text);
    if (this.#slab.length - this.#used < text.length * 3) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#slab.write(text, start);
    return this.#slab.subarray(start, this.#used);
  }
}
