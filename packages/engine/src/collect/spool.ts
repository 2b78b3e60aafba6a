import type { Scope } from "@jibe/base";
import { bodyFromBytes, type ItemBody } from "../item/item-body.ts";
import type { ScratchFile } from "../ports/scratch.ts";

/** Where a body lies in the spool. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
}

const windowBytes = 256 * 1024;
const keptWindows = 8;

/**
 * Bodies of items that someone may want to see again, in one scratch file. Each is written once and read by its extent. Items get
 * their turns about in the order in which they were written, so reads take a window of the file and keep the last few.
 */
export class Spool implements AsyncDisposable {
  readonly #file: ScratchFile;
  readonly #windows = new Map<number, Promise<Uint8Array>>();

  constructor(file: ScratchFile) {
    this.#file = file;
  }

  /** Writes the bodies with a single append. */
  async add(bodies: readonly Uint8Array[], scope: Scope): Promise<Extent[]> {
    if (bodies.length === 0) return [];
    let offset = await this.#file.append(Buffer.concat(bodies), scope);
    return bodies.map(({ length }) => {
      const extent = { offset, length };
      offset += length;
      return extent;
    });
  }

  /** Nothing may be added any more once reading has begun. */
  async read({ offset, length }: Extent, scope: Scope): Promise<ItemBody> {
    const start = offset - (offset % windowBytes);
    if (offset + length > start + windowBytes) return bodyFromBytes(await this.#file.read(offset, length, scope));
    const window = await this.#window(start, scope);
    return bodyFromBytes(window.subarray(offset - start, offset - start + length));
  }

  #window(start: number, scope: Scope): Promise<Uint8Array> {
    const known = this.#windows.get(start);
    if (known) return known;
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= keptWindows && oldest !== undefined) this.#windows.delete(oldest);
    const window = this.#file.read(start, Math.min(windowBytes, this.#file.size - start), scope);
    this.#windows.set(start, window);
    window.catch(() => this.#windows.delete(start)); // the next reader tries again
    return window;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#windows.clear();
    await this.#file[Symbol.asyncDispose]();
  }
}
