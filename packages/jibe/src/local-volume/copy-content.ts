import { constants } from "node:fs";
import { copyFile, type FileHandle, open } from "node:fs/promises";
import type { Scope } from "@jibe/base";
import { fileErrorCode } from "./file-error.ts";

const chunkBytes = 1024 * 1024;
const blockBytes = 64 * 1024;
const zeros = Buffer.alloc(blockBytes);

/** Remembers across files whether the file system can share blocks between copies. */
export interface CopyMethod {
  canClone: boolean;
}

export interface ContentCopy {
  readonly from: FileHandle;
  readonly target: Buffer;
  readonly size: number;
  /** Whether the source has holes; then the copy gets them too. */
  readonly isSparse: boolean;
  readonly method: CopyMethod;
  readonly onBytes: (count: number) => void;
}

/** Copies a file's content: by sharing its blocks where the file system can, else in chunks. Gives the open copy. */
export async function copyContent(copy: ContentCopy, scope: Scope): Promise<FileHandle> {
  if (await clone(copy)) {
    copy.onBytes(copy.size);
    return open(copy.target, "r+");
  }
  const to = await open(copy.target, "wx", 0o600);
  try {
    await copyChunks(to, copy, scope);
    return to;
  } catch (error) {
    await to.close();
    throw error;
  }
}

async function clone({ from, target, method, size }: ContentCopy): Promise<boolean> {
  if (!method.canClone || size === 0 || process.platform !== "linux") return false;
  try {
    // Through the open file, so that nobody can put another in its place.
    const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE;
    await copyFile(`/proc/self/fd/${from.fd}`, target, mode);
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "EEXIST") throw error;
    method.canClone = false; // whatever the reason, chunks will do or give the true error
    return false;
  }
}

/** What is appended while the file is read is left out, so that a busy log cannot keep us for ever. */
async function copyChunks(to: FileHandle, copy: ContentCopy, { signal }: Scope): Promise<void> {
  const { from, size, isSparse, onBytes } = copy;
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size));
  let position = 0;
  while (position < size) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - position), position);
    if (bytesRead === 0) break; // it became shorter
    const chunk = buffer.subarray(0, bytesRead);
    if (isSparse) await writeWithHoles(to, chunk, position);
    else await writeAll(to, chunk, position);
    position += bytesRead;
    onBytes(bytesRead);
  }
  if (isSparse) await to.truncate(position); // a hole at the end was not written
}

async function writeWithHoles(to: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let at = 0; at < chunk.length; at += blockBytes) {
    const block = chunk.subarray(at, at + blockBytes);
    if (!block.equals(zeros.subarray(0, block.length))) await writeAll(to, block, position + at);
  }
}

async function writeAll(to: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await to.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
