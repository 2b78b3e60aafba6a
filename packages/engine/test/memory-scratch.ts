import { AppError, type Scope } from "@jibe/base";
import type { Scratch, ScratchFile } from "../src/ports/scratch.ts";

export interface MemoryScratch extends Scratch {
  /** Files not yet disposed. A test that ends with some has found a leak. */
  readonly open: ReadonlySet<string>;
  /** Bytes ever appended. */
  readonly written: number;
}

/** Scratch files in memory. `capacity` bounds the bytes of all files together, as a disk does. */
export function memoryScratch({ capacity = Number.POSITIVE_INFINITY } = {}): MemoryScratch {
  const open = new Set<string>();
  let used = 0;
  let written = 0;
  return {
    open,
    get written() {
      return written;
    },
    async create(name: string, scope: Scope): Promise<ScratchFile> {
      scope.signal.throwIfAborted();
      const id = `${name}#${open.size}-${written}-${Math.random()}`;
      open.add(id);
      const chunks: { offset: number; bytes: Uint8Array }[] = [];
      let size = 0;
      return {
        get size() {
          return size;
        },
        async append(bytes, appendScope) {
          appendScope.signal.throwIfAborted();
          if (used + bytes.length > capacity) throw new AppError("Unavailable", "no space left on the scratch disk");
          const offset = size;
          chunks.push({ offset, bytes: bytes.slice() });
          size += bytes.length;
          used += bytes.length;
          written += bytes.length;
          return offset;
        },
        async read(offset, length, readScope) {
          readScope.signal.throwIfAborted();
          if (offset + length > size) throw new AppError("DataLoss", "read beyond the end of a scratch file");
          return readRange(chunks, offset, length);
        },
        async *stream() {
          for (const { bytes } of chunks) yield bytes;
        },
        async [Symbol.asyncDispose]() {
          if (open.delete(id)) used -= size;
          chunks.length = 0;
        },
      };
    },
  };
}

function readRange(
  chunks: readonly { offset: number; bytes: Uint8Array }[],
  offset: number,
  length: number,
): Uint8Array {
  const result = new Uint8Array(length);
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chunks[middle]?.offset ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  let filled = 0;
  for (let index = low; filled < length; index++) {
    const chunk = chunks[index];
    if (!chunk) break;
    const part = chunk.bytes.subarray(offset + filled - chunk.offset, offset + length - chunk.offset);
    result.set(part, filled);
    filled += part.length;
  }
  return result;
}
