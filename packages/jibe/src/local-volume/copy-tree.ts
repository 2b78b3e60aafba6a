import type { BigIntStats } from "node:fs";
import { type FileHandle, lchown, link, lutimes, mkdir, open, symlink } from "node:fs/promises";
import { forEachConcurrent, type Scope } from "@jibe/base";
import { type CopyMethod, copyContent } from "./copy-content.ts";
import { fileError, fileErrorCode } from "./file-error.ts";
import { type SourceEntry, sourceEntries } from "./source-entries.ts";

export interface TreeTotals {
  readonly bytes: number;
  readonly entries: number;
}

/** How much there is to copy, at the time of looking. */
export async function treeTotals(source: string, scope: Scope): Promise<TreeTotals> {
  let bytes = 0;
  let entries = 0;
  for await (const entry of sourceEntries(source, scope)) {
    entries++;
    if (entry.kind !== "file") continue;
    bytes += Number(entry.stat.size);
    await entry.file.close();
  }
  return { bytes, entries };
}

export interface TreeCopy {
  readonly source: string;
  /** Must not exist. */
  readonly target: string;
  readonly parallelFiles: number;
  readonly onBytes: (count: number) => void;
  /** Told of everything that cannot be copied: sockets, pipes, devices. */
  readonly onSkipped: (path: string) => void;
}

/**
 * Copies a folder with all in it: content, holes, links of both kinds, owners, permissions, and times to the microsecond. When it
 * returns, the copy is on disk. Extended attributes are not copied.
 */
export async function copyTree(copy: TreeCopy, scope: Scope): Promise<void> {
  const tree = new TreeWriter(copy);
  try {
    await forEachConcurrent(
      sourceEntries(copy.source, scope),
      { limit: copy.parallelFiles, each: (entry, inner) => tree.write(entry, inner) },
      scope,
    );
    await tree.finish(scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    throw fileError(`copy ${copy.source} to ${copy.target}`, error);
  }
}

class TreeWriter {
  readonly #copy: TreeCopy;
  readonly #target: Buffer;
  readonly #method: CopyMethod = { canClone: true };
  readonly #folders: { readonly target: Buffer; readonly stat: BigIntStats }[] = [];
  /** The first copy of each file that has several names, and the names that are to become links to it. */
  readonly #firstNames = new Map<string, Buffer>();
  readonly #moreNames: { readonly target: Buffer; readonly first: Buffer }[] = [];

  constructor(copy: TreeCopy) {
    this.#copy = copy;
    this.#target = Buffer.from(copy.target);
  }

  /** Folders come before what is in them, and one is made before the next entry is asked for: `mkdir` begins at once. */
  async write(entry: SourceEntry, scope: Scope): Promise<void> {
    const target = Buffer.concat([this.#target, entry.path]);
    switch (entry.kind) {
      case "folder":
        this.#folders.push({ target, stat: entry.stat });
        return void (await this.#makeFolder(target));
      case "link":
        await this.#folderReady(target);
        await symlink(entry.target, target);
        await lutimes(target, ...timesOf(entry.stat));
        return keepOwner(() => lchown(target, Number(entry.stat.uid), Number(entry.stat.gid)));
      case "special":
        return this.#copy.onSkipped(entry.path.toString());
      case "file": {
        await using _file = entry.file;
        return await this.#writeFile(entry, target, scope);
      }
    }
  }

  async finish({ signal }: Scope): Promise<void> {
    for (const { target, first } of this.#moreNames) await link(first, target);
    // Deepest first: whatever is made in a folder changes its time.
    for (const { target, stat } of this.#folders.reverse()) {
      signal.throwIfAborted();
      await using folder = await open(target, "r");
      await keepMetadata(folder, stat);
      await folder.sync();
    }
  }

  readonly #making = new Map<string, Promise<void>>();

  #makeFolder(target: Buffer): Promise<void> {
    const made = this.#folderReady(target).then(() => mkdir(target, { mode: 0o700 }));
    this.#making.set(target.toString("latin1"), made);
    return made;
  }

  /** Waits until the folder that holds `target` is there; entries are written in parallel. */
  async #folderReady(target: Buffer): Promise<void> {
    await this.#making.get(target.subarray(0, target.lastIndexOf("/")).toString("latin1"));
  }

  async #writeFile(entry: SourceEntry & { readonly kind: "file" }, target: Buffer, scope: Scope): Promise<void> {
    const { file, stat } = entry;
    const size = Number(stat.size);
    if (stat.nlink > 1n) {
      const id = `${stat.dev}:${stat.ino}`;
      const first = this.#firstNames.get(id);
      if (first) {
        this.#moreNames.push({ target, first });
        return this.#copy.onBytes(size);
      }
      this.#firstNames.set(id, target);
    }
    await this.#folderReady(target);
    const isSparse = stat.blocks * 512n < stat.size;
    const content = { from: file, target, size, isSparse, method: this.#method, onBytes: this.#copy.onBytes };
    await using written = await copyContent(content, scope);
    await keepMetadata(written, stat);
    await written.sync();
  }
}

/** Owner first: changing it takes away special permissions, so these come after. */
async function keepMetadata(handle: FileHandle, stat: BigIntStats): Promise<void> {
  await keepOwner(() => handle.chown(Number(stat.uid), Number(stat.gid)));
  await handle.chmod(Number(stat.mode & 0o7777n));
  await handle.utimes(...timesOf(stat));
}

/** Only root may give files away; others get a copy of their own. */
async function keepOwner(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (fileErrorCode(error) !== "EPERM") throw error;
  }
}

/** Times are set as floating seconds, which miss by a quarter of a microsecond: from the middle of one, that stays within it. */
function timesOf({ atimeNs, mtimeNs }: BigIntStats): [atime: number, mtime: number] {
  const seconds = (ns: bigint) => (Number(ns / 1000n) + 0.5) / 1e6;
  return [seconds(atimeNs), seconds(mtimeNs)];
}
