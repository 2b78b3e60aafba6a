import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { AppError, type Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";

const compress = promisify(gzip);
const blockSize = 1024 * 1024;

export interface GzipBlocksOptions {
  readonly sink: ScratchFile;
  /** 1 (fast) to 9 (small). */
  readonly level: number;
  /** How many blocks may be in compression at once. */
  readonly parallel: number;
}

/**
 * Compresses a byte stream in blocks of 1 MiB, each its own gzip member, several at once on Node's thread pool, and appends them to
 * the sink in order. One caller at a time. After a failure every further call fails with the same error.
 */
export class GzipBlocks {
  readonly #options: GzipBlocksOptions;
  readonly #compressing: Promise<Uint8Array>[] = [];
  #block = Buffer.allocUnsafe(blockSize);
  #used = 0;
  #failure: unknown;

  constructor(options: GzipBlocksOptions) {
    this.#options = options;
  }

  /** Takes a copy of the bytes. Waits while too many blocks are in the making. */
  async write(bytes: Uint8Array, scope: Scope): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    let offset = 0;
    while (offset < bytes.length) {
      const length = Math.min(bytes.length - offset, blockSize - this.#used);
      this.#block.set(bytes.subarray(offset, offset + length), this.#used);
      this.#used += length;
      offset += length;
      if (this.#used === blockSize) await this.#flushBlock(scope);
    }
  }

  /** Compresses and stores what is left. */
  async end(scope: Scope): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#used > 0) await this.#flushBlock(scope);
    while (this.#compressing.length > 0) await this.#storeOldest(scope);
  }

  async #flushBlock(scope: Scope): Promise<void> {
    const block = this.#block.subarray(0, this.#used);
    this.#block = Buffer.allocUnsafe(blockSize);
    this.#used = 0;
    const compressing = compress(block, { level: this.#options.level });
    compressing.catch(() => {}); // reported when its turn to be stored comes
    this.#compressing.push(compressing);
    while (this.#compressing.length >= this.#options.parallel) await this.#storeOldest(scope);
  }

  async #storeOldest(scope: Scope): Promise<void> {
    const oldest = this.#compressing.shift();
    if (!oldest) return;
    try {
      scope.signal.throwIfAborted();
      await this.#options.sink.append(await oldest, scope);
    } catch (error) {
      this.#failure =
        error instanceof AppError || scope.signal.aborted
          ? error
          : new AppError("Internal", "cannot compress the archive", { cause: error });
      throw this.#failure;
    }
  }
}
