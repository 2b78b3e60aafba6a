import { AppError, type Clock, type Scope } from "@jibe/base";
import { createGzipBlocks, type GzipBlocks } from "../gzip/gzip-blocks.ts";
import type { ScratchFile } from "../ports/scratch.ts";
import { type ArchiveItem, archivePathsOf } from "./archive-path.ts";
import { padded, TarHeaders, tarBlockSize } from "./tar-header.ts";

/** The format version that readers find in `metadata/version`. */
export const archiveFormatVersion = "1.1.0";

export interface ArchiveEntry extends ArchiveItem {
  /** Complete JSON of the item, in a row of parts. */
  readonly parts: readonly Uint8Array[];
}

/**
 * Writes Velero's archive. Many callers may write at once: their items are taken one after the other, whole, and a caller waits while
 * the compression is behind. After a failure every further call fails with the same error. Disposing waits for what is still being stored.
 */
export interface ArchiveWriter extends AsyncDisposable {
  writeItem(entry: ArchiveEntry): Promise<void>;
  /** Ends the archive; resolves once all of it is in the sink. Nothing can be written afterwards. */
  finish(): Promise<void>;
}

export interface ArchiveWriterOptions {
  readonly sink: ScratchFile;
  readonly clock: Clock;
  /** Blocks of 1 MiB in compression at once; 4 unless given. */
  readonly parallel?: number;
}

/** `scope` is that of the whole archive: one that is stopped cannot be finished. */
export function createArchiveWriter(options: ArchiveWriterOptions, scope: Scope): ArchiveWriter {
  scope.signal.throwIfAborted();
  return new TarGzWriter(options, scope);
}

const blockBytes = 1024 * 1024;

/** The writer beneath: any path. */
export class TarGzWriter implements ArchiveWriter {
  readonly #blocks: GzipBlocks;
  readonly #headers = new TarHeaders();
  readonly #clock: Clock;
  #started = false;
  #finished = false;

  constructor({ sink, clock, parallel = 4 }: ArchiveWriterOptions, scope: Scope) {
    this.#blocks = createGzipBlocks({ sink, blockBytes, parallel }, scope);
    this.#clock = clock;
  }

  async writeItem(entry: ArchiveEntry): Promise<void> {
    const paths = archivePathsOf(entry);
    await this.#ready();
    this.#begin();
    const mtime = this.#nowSeconds();
    for (const path of paths) this.#write({ path, parts: entry.parts, mtime });
  }

  /** Writes one file as it is; for archives that are copied. */
  async writeFile({ path, bytes, mtime = this.#nowSeconds() }: TarFile): Promise<void> {
    await this.#ready();
    this.#started = true;
    this.#write({ path, parts: [bytes], mtime });
  }

  async finish(): Promise<void> {
    await this.#ready();
    this.#begin();
    this.#finished = true;
    this.#blocks.writeZeros(tarBlockSize * 2);
    await this.#blocks.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#blocks.settled();
  }

  /** Waits while the compression is behind. Of many who waited one may fill the room again, so each looks anew. */
  async #ready(): Promise<void> {
    for (let room = this.#blocks.room(); room; room = this.#blocks.room()) await room;
    if (this.#blocks.failure) throw this.#blocks.failure.error;
    if (this.#finished) throw new AppError("Internal", "archive is already finished");
  }

  #begin(): void {
    if (this.#started) return;
    this.#started = true;
    const version = Buffer.from(`${archiveFormatVersion}\n`);
    this.#write({ path: "metadata/version", parts: [version], mtime: this.#nowSeconds() });
  }

  #write({ path, parts, mtime }: { path: string; parts: readonly Uint8Array[]; mtime: number }): void {
    let size = 0;
    for (const part of parts) size += part.length;
    this.#blocks.write(this.#headers.encode({ path, size, mtime }));
    for (const part of parts) this.#blocks.write(part);
    this.#blocks.writeZeros(padded(size) - size);
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

export interface TarFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Seconds since 1970; now unless given. */
  readonly mtime?: number;
}
