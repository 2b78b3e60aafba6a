import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { compareKeys } from "../key-order.ts";
import { fileErrorCode } from "./file-error.ts";
import { partFromName } from "./object-path.ts";

/** An object or a folder of objects, by the part of the key it stands for; a folder's ends with `/`. */
export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
}

/** What lies in a folder, in the order of the keys; names too long for one file name are put together again. */
export async function folderEntries(folder: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  await gather(folder, "", entries);
  return entries.sort((a, b) => compareKeys(a.name, b.name));
}

/** Whether there is an object anywhere below. Empty folders stay behind when a process is killed and count for nothing. */
export async function holdsObjects(folder: string): Promise<boolean> {
  for (const entry of await folderEntries(folder)) {
    if (!entry.isFolder || (await holdsObjects(entry.path))) return true;
  }
  return false;
}

async function gather(folder: string, start: string, entries: FolderEntry[]): Promise<void> {
  for (const dirent of await readEntries(folder)) {
    if (dirent.name.startsWith(".")) continue; // our own; a dot of a key is escaped
    const { part, continues } = partFromName(dirent.name);
    const path = join(folder, dirent.name);
    if (continues) await gather(path, start + part, entries);
    else if (dirent.isDirectory()) entries.push({ name: `${start}${part}/`, path, isFolder: true });
    else entries.push({ name: start + part, path, isFolder: false });
  }
}

async function readEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return []; // nothing there is an empty listing
    throw error;
  }
}
