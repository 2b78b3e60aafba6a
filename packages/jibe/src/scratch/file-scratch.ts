import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import type { Scratch, ScratchFile } from "@jibe/engine";
import { BlockFile } from "./block-file.ts";
import { hasEnded, markAsText, markFromText, ownProcessMark } from "./process-mark.ts";
import { scratchError } from "./scratch-error.ts";

const runName = /^jibe-scratch-(.+)-[0-9a-f]{12}$/;

/**
 * Scratch files in a folder of their own below `directory`. They are readable by this user alone and gone when the scratch is
 * disposed; what a killed process left behind goes when the next one opens its scratch there.
 */
export async function openFileScratch(directory: string, scope: Scope): Promise<Scratch & AsyncDisposable> {
  scope.signal.throwIfAborted();
  await removeLeftovers(directory, scope);
  const name = `jibe-scratch-${markAsText(await ownProcessMark())}-${randomBytes(6).toString("hex")}`;
  const folder = join(directory, name);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw scratchError("make the folder of", folder, cause);
  });
  let count = 0;
  return {
    create: (label, { signal }) => {
      signal.throwIfAborted();
      count++;
      return createFile(join(folder, `${count}-${label.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 100)}`));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createFile(path: string): Promise<ScratchFile> {
  const handle = await open(path, "wx+", 0o600).catch((cause: unknown) => {
    throw scratchError("create", path, cause);
  });
  return new BlockFile(handle, path, () => rm(path, { force: true }));
}

async function removeLeftovers(directory: string, { log, signal }: Scope): Promise<void> {
  for (const entry of await readdir(directory).catch(() => [])) {
    signal.throwIfAborted();
    const mark = markFromText(runName.exec(entry)?.[1] ?? "");
    if (!mark || !(await hasEnded(mark))) continue;
    log.info("removing scratch files of a process that ended", { folder: entry });
    await rm(join(directory, entry), { recursive: true, force: true });
  }
}
