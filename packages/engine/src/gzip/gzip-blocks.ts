import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { AppError, type Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";

const compress = promisify(gzip);
const level = 5; // of what Kubernetes objects make, one in fifty bytes more than level 6, for two thirds of its time

export interface GzipBlocksOptions {
  readonly sink: ScratchFile;
  /** Bytes that are compressed together. */
  readonly blockBytes: number;
  /** How many blocks may be in the making before whoever writes should wait. */
  readonly parallel: number;
}

/**
 * Compresses bytes and text in blocks, each its own gzip member, several at once on Node's thread pool, and appends them to the sink in
 * order, whole. Writing never waits and never fails: `room` says when to wait, and a failure is kept for whoever asks `flush`, or looks
 * at `failure`. Blocks are used again, so that memory does not depend on when garbage is collected.
 */
export interface GzipBlocks {
  /** Takes a copy of the bytes. */
  write(bytes: Uint8Array): void;
  writeZeros(count: number): void;
  writeText(text: string): void;
  /** Set while too many blocks are in the making; resolves when the oldest is stored. */
  room(): Promise<void> | undefined;
  /** What went wrong first; nothing more is stored then. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Resolves once all that was written is in the sink; throws the failure. */
  flush(): Promise<void>;
  /** Resolves once nothing is in the making any more, whatever came of it. */
  settled(): Promise<void>;
}

/** `scope` is that of the sink: who stops it loses what is not stored yet. */
export function createGzipBlocks(options: GzipBlocksOptions, scope: Scope): GzipBlocks {
  const { sink, blockBytes, parallel } = options;
  const spare: Buffer[] = [];
  const making: Promise<void>[] = [];
  let block: Buffer = Buffer.allocUnsafe(blockBytes);
  let used = 0;
  let failure: GzipBlocks["failure"];

  const store = async (full: Buffer, length: number, before: Promise<void> | undefined) => {
    try {
      const compressed = await compress(full.subarray(0, length), { level });
      spare.push(full);
      await before;
      if (!failure) await sink.append(compressed, scope);
    } catch (error) {
      const isOurs = error instanceof AppError || scope.signal.aborted;
      failure ??= { error: isOurs ? error : new AppError("Internal", "cannot compress", { cause: error }) };
    } finally {
      await before;
      making.shift(); // the oldest: those before it have ended
    }
  };
  const endBlock = () => {
    if (used === 0) return;
    making.push(store(block, used, making.at(-1)));
    block = spare.pop() ?? Buffer.allocUnsafe(blockBytes);
    used = 0;
  };
  const take = (length: number) => {
    used += length;
    if (used === blockBytes) endBlock();
  };
  const write = (bytes: Uint8Array) => {
    for (let offset = 0; offset < bytes.length; ) {
      const length = Math.min(bytes.length - offset, blockBytes - used);
      block.set(length === bytes.length ? bytes : bytes.subarray(offset, offset + length), used);
      offset += length;
      take(length);
    }
  };
  return {
    write,
    writeZeros(count) {
      for (let left = count; left > 0; ) {
        const length = Math.min(left, blockBytes - used);
        block.fill(0, used, used + length);
        left -= length;
        take(length);
      }
    },
    writeText(text) {
      const fits = text.length * 3 <= blockBytes - used; // no unit of a text takes more bytes
      if (fits) take(block.write(text, used));
      else write(Buffer.from(text));
    },
    room: () => (making.length >= parallel ? making[0] : undefined),
    get failure() {
      return failure;
    },
    async flush() {
      endBlock();
      await making.at(-1);
      if (failure) throw failure.error;
    },
    async settled() {
      await making.at(-1);
    },
  };
}
