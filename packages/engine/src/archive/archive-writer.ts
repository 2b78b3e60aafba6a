import { AppError, type Clock, type Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";
import { type ArchiveItem, archivePathsOf } from "./archive-path.ts";
import { GzipBlocks } from "./gzip-blocks.ts";
import { encodeTarHeader, padded, tarBlockSize } from "./tar-header.ts";

/** The format version that readers find in `metadata/version`. */
export const archiveFormatVersion = "1.1.0";

export interface ArchiveEntry extends ArchiveItem {
  /** Complete JSON of the item. */
  readonly bytes: Uint8Array;
}

/**
 * Writes Velero's archive. Many callers may write at once: their items are taken one after the other, whole, and a caller waits while
 * the compression is behind. After a failure every further call fails with the same error.
 */
export interface ArchiveWriter {
  writeItem(entry: ArchiveEntry, scope: Scope): Promise<void>;
  /** Ends the archive; resolves once all of it is in the sink. Nothing can be written afterwards. */
  finish(scope: Scope): Promise<void>;
}

export interface ArchiveWriterOptions {
  readonly sink: ScratchFile;
  readonly clock: Clock;
  /** gzip level, 1 to 9; 6 unless given, as Velero's. */
  readonly level?: number;
  /** Blocks of 1 MiB in compression at once; 4 unless given. */
  readonly parallel?: number;
}

export function createArchiveWriter(options: ArchiveWriterOptions, scope: Scope): ArchiveWriter {
  scope.signal.throwIfAborted();
  return new TarGzWriter(options);
}

/** The writer beneath: any path, one caller after the other. */
export class TarGzWriter implements ArchiveWriter {
  readonly #blocks: GzipBlocks;
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();
  #started = false;
  #finished = false;

  constructor({ sink, clock, level = 6, parallel = 4 }: ArchiveWriterOptions) {
    this.#blocks = new GzipBlocks({ sink, level, parallel });
    this.#clock = clock;
  }

  async writeItem(entry: ArchiveEntry, scope: Scope): Promise<void> {
    const paths = archivePathsOf(entry);
    await this.#inTurn(async () => {
      this.#requireOpen();
      await this.#begin(scope);
      for (const path of paths) await this.#writeFile({ path, bytes: entry.bytes }, scope);
    });
  }

  /** Writes one file as it is; for archives that are copied. */
  async writeFile(file: TarFile, scope: Scope): Promise<void> {
    await this.#inTurn(() => {
      this.#requireOpen();
      this.#started = true;
      return this.#writeFile(file, scope);
    });
  }

  async finish(scope: Scope): Promise<void> {
    await this.#inTurn(async () => {
      this.#requireOpen();
      await this.#begin(scope);
      this.#finished = true;
      await this.#blocks.write(new Uint8Array(tarBlockSize * 2), scope);
      await this.#blocks.end(scope);
    });
  }

  #requireOpen(): void {
    if (this.#finished) throw new AppError("Internal", "archive is already finished");
  }

  async #begin(scope: Scope): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    const bytes = new TextEncoder().encode(`${archiveFormatVersion}\n`);
    await this.#writeFile({ path: "metadata/version", bytes }, scope);
  }

  async #writeFile({ path, bytes, mtime = this.#nowSeconds() }: TarFile, scope: Scope): Promise<void> {
    await this.#blocks.write(encodeTarHeader({ path, size: bytes.length, mtime }), scope);
    await this.#blocks.write(bytes, scope);
    await this.#blocks.write(zeros.subarray(0, padded(bytes.length) - bytes.length), scope);
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }

  /** Lets `work` run after everything that came before it, whether that went well or not. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {}); // its caller has the error
    return mine;
  }
}

export interface TarFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Seconds since 1970; now unless given. */
  readonly mtime?: number;
}

const zeros = new Uint8Array(tarBlockSize);
