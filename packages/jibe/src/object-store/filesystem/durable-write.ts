import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Scope } from "@jibe/base";
import { hasEnded, markAsText, markFromText, ownProcessMark } from "../../scratch/process-mark.ts";
import { fileErrorCode } from "./file-error.ts";

export interface DurableTarget {
  readonly target: string;
  readonly temporary: string;
  readonly openFile: typeof open;
}

/**
 * Writes a file so that it is seen complete or not at all, and survives a crash once this returns: to a temporary file first,
 * then flushed, renamed, and the folders flushed too. When it fails the temporary file is gone.
 */
export async function writeDurably(
  { target, temporary, openFile }: DurableTarget,
  body: AsyncIterable<Uint8Array>,
  { signal }: Scope,
): Promise<void> {
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const draft = join(temporary, `${markAsText(await ownProcessMark())}-${randomBytes(6).toString("hex")}`);
  try {
    {
      await using file = await openFile(draft, "wx", 0o600);
      for await (const chunk of body) {
        signal.throwIfAborted();
        await writeAll(file, chunk);
      }
      signal.throwIfAborted();
      await file.sync();
    }
    await moveInto(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done);
    done += bytesWritten;
  }
}

async function moveInto(draft: string, target: string): Promise<void> {
  const folder = dirname(target);
  for (let attempt = 0; ; attempt++) {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await rename(draft, target);
    } catch (error) {
      // Another deletion may have taken the folder, empty until now, in between.
      if (fileErrorCode(error) === "ENOENT" && attempt < 10) continue;
      throw error;
    }
    await syncFolders(folder, first === undefined ? folder : dirname(first));
    return;
  }
}

/** Flushes a folder and those above it up to `top`, so that the names in them survive a crash. */
export async function syncFolders(folder: string, top: string): Promise<void> {
  for (let current = folder; ; current = dirname(current)) {
    await using handle = await open(current, "r");
    await handle.sync();
    if (current === top || current === dirname(current)) return;
  }
}

/** Removes a folder and those above it, up to but without `top`, as far as they are empty. */
export async function pruneEmptyFolders(folder: string, top: string): Promise<void> {
  for (let current = folder; current !== top && current.startsWith(top); current = dirname(current)) {
    try {
      await rmdir(current);
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === "ENOTEMPTY" || code === "EEXIST") return;
      if (code !== "ENOENT") throw error;
    }
  }
}

/** Removes drafts that processes left when they were killed. */
export async function removeDeadDrafts(temporary: string): Promise<void> {
  for (const name of await readdir(temporary).catch(() => [])) {
    const mark = markFromText(name.replace(/-[0-9a-f]{12}$/, ""));
    if (mark && (await hasEnded(mark))) await rm(join(temporary, name), { force: true });
  }
}
