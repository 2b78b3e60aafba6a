import type { Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";
import type { Extent } from "./archive-index.ts";

const windowBytes = 256 * 1024;
const keptWindows = 4;

/**
 * Reads small pieces of a file in windows: items that lie side by side are mostly read one after the other, and one read serves them
 * all. Pieces share their window's memory.
 */
export class ReadAhead {
  readonly #file: ScratchFile;
  readonly #windows = new Map<number, Promise<Uint8Array>>();

  constructor(file: ScratchFile) {
    this.#file = file;
  }

  async read({ offset, length }: Extent, scope: Scope): Promise<Uint8Array> {
    const number = Math.floor(offset / windowBytes);
    const start = number * windowBytes;
    if (offset + length > start + windowBytes) return this.#file.read(offset, length, scope);
    scope.signal.throwIfAborted();
    const window = await (this.#windows.get(number) ?? this.#load(number, start, scope));
    return window.subarray(offset - start, offset - start + length);
  }

  #load(number: number, start: number, scope: Scope): Promise<Uint8Array> {
    const loading = this.#file.read(start, Math.min(windowBytes, this.#file.size - start), scope);
    loading.catch(() => this.#windows.delete(number)); // the next reader tries again
    this.#windows.set(number, loading);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > keptWindows && oldest !== undefined) this.#windows.delete(oldest);
    return loading;
  }
}
