import type { FileHandle } from "node:fs/promises";
import { AppError, type Scope } from "@jibe/base";
import type { ScratchFile } from "@jibe/engine";
import { scratchError } from "./scratch-error.ts";

const blockBytes = 256 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * A scratch file over an open file. Small appends are gathered in a block and written together; what was appended can be
 * read at once, from memory if it has not been written yet. After a write failed every later call fails with that error.
 */
export class BlockFile implements ScratchFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #release: () => Promise<void>;
  #block: Buffer = Buffer.allocUnsafe(blockBytes);
  #spare: Buffer | undefined;
  /** Bytes in the block, and where in the file it begins. */
  #used = 0;
  #blockStart = 0;
  #writing: Promise<void> = Promise.resolve();
  #failure: AppError | undefined;

  constructor(handle: FileHandle, path: string, release: () => Promise<void> = async () => {}) {
    this.#handle = handle;
    this.#path = path;
    this.#release = release;
  }

  get size(): number {
    return this.#blockStart + this.#used;
  }

  async append(bytes: Uint8Array, { signal }: Scope): Promise<number> {
    signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    const offset = this.size;
    if (bytes.length <= blockBytes - this.#used) {
      this.#gather(bytes);
    } else if (bytes.length < blockBytes) {
      const written = this.#flush();
      this.#gather(bytes);
      await written;
    } else {
      await this.#flush(bytes);
    }
    return offset;
  }

  async read(offset: number, length: number, { signal }: Scope): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    if (offset < 0 || length < 0 || offset + length > this.size) {
      throw new AppError("InvalidArgument", `scratch file ${this.#path} has no ${length} bytes at ${offset}`);
    }
    if (offset >= this.#blockStart) {
      const start = offset - this.#blockStart;
      return new Uint8Array(this.#block.subarray(start, start + length));
    }
    await this.#settle(offset + length);
    return this.#readAt(Buffer.allocUnsafe(length), offset);
  }

  async *stream({ signal }: Scope): AsyncIterable<Uint8Array> {
    const end = this.size;
    await this.#settle(end);
    for (let offset = 0; offset < end; offset += chunkBytes) {
      signal.throwIfAborted();
      yield await this.#readAt(Buffer.allocUnsafe(Math.min(chunkBytes, end - offset)), offset);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing.catch(() => {}); // the failure was given to whoever appended
    await this.#handle.close();
    await this.#release();
  }

  #gather(bytes: Uint8Array): void {
    this.#block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Waits until everything before `end` is in the file. */
  async #settle(end: number): Promise<void> {
    if (end > this.#blockStart && this.#used > 0) await this.#flush();
    else await this.#writing;
    if (this.#failure) throw this.#failure;
  }

  /** Writes the block, and `more` after it, and starts a new block behind them. */
  #flush(more: Uint8Array = new Uint8Array()): Promise<void> {
    const full = this.#block;
    const parts = [full.subarray(0, this.#used), more].filter((part) => part.length > 0);
    const start = this.#blockStart;
    this.#blockStart += this.#used + more.length;
    this.#used = 0;
    this.#block = this.#spare ?? Buffer.allocUnsafe(blockBytes);
    this.#spare = undefined;
    const written = this.#writing.then(async () => {
      await this.#writeAt(parts, start);
      this.#spare = full;
    });
    // The next write waits for this one whether it went well or not; then it fails by #failure.
    this.#writing = written.catch(() => {});
    return written;
  }

  async #writeAt(parts: readonly Uint8Array[], start: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    let position = start;
    try {
      for (const part of parts) {
        for (let done = 0; done < part.length; ) {
          const { bytesWritten } = await this.#handle.write(part, done, part.length - done, position);
          done += bytesWritten;
          position += bytesWritten;
        }
      }
    } catch (cause) {
      this.#failure = scratchError("write", this.#path, cause);
      throw this.#failure;
    }
  }

  async #readAt(target: Buffer, offset: number): Promise<Uint8Array> {
    for (let done = 0; done < target.length; ) {
      const { bytesRead } = await this.#handle
        .read(target, done, target.length - done, offset + done)
        .catch((cause: unknown) => {
          throw scratchError("read", this.#path, cause);
        });
      if (bytesRead === 0)
        throw new AppError("DataLoss", `scratch file ${this.#path} ended early, at ${offset + done}`);
      done += bytesRead;
    }
    return target;
  }
}
