import { open, stat, unlink } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { trimSlashes } from "../key-prefix.ts";
import { pruneEmptyFolders, removeDeadDrafts, syncFolders, writeDurably } from "./durable-write.ts";
import { fileError, fileErrorCode } from "./file-error.ts";
import { type FolderEntry, folderEntries, holdsObjects } from "./folder-entries.ts";
import { folderFromPrefix, pathFromKey } from "./object-path.ts";
import type { UrlSigner } from "./url-signer.ts";

const chunkBytes = 256 * 1024;

export interface FilesystemStoreOptions {
  /** An absolute path; made when the first object is stored. */
  readonly root: string;
  readonly bucket: string;
  readonly prefix: string;
  /** Names this location in signed URLs. */
  readonly location: string;
  /** Without it the location has no signed URLs. */
  readonly signer?: UrlSigner;
  /** How objects' files are opened: another way stands for a disk that misbehaves. */
  readonly openFile?: typeof open;
}

/** Objects as files below `root/bucket/prefix`, by names that a person can read. */
export async function openFilesystemStore(options: FilesystemStoreOptions): Promise<ObjectStore> {
  const { root, bucket, prefix, location, signer, openFile = open } = options;
  if (!isAbsolute(root)) {
    throw new AppError("InvalidArgument", `the root of a file system location must be an absolute path, not "${root}"`);
  }
  const bucketFolder = join(root, ...pathFromKey(bucket));
  const temporary = join(bucketFolder, ".jibe-drafts");
  const folder = trimSlashes(prefix) === "" ? bucketFolder : join(bucketFolder, ...pathFromKey(trimSlashes(prefix)));
  const pathOf = (key: string) => join(folder, ...pathFromKey(key));
  await removeDeadDrafts(temporary);
  return {
    get: (key, scope) => readObject({ path: pathOf(key), key, openFile }, scope),
    put: async (key, body, scope) => {
      scope.signal.throwIfAborted();
      await translate("store", key, () => writeDurably({ target: pathOf(key), temporary, openFile }, body(), scope));
    },
    exists: async (key, { signal }) => {
      signal.throwIfAborted();
      return translate("look for", key, () => isObject(pathOf(key)));
    },
    delete: async (key, { signal }) => {
      signal.throwIfAborted();
      return translate("delete", key, () => removeObject(pathOf(key), bucketFolder));
    },
    list: (prefix, scope) => listBelow(folder, prefix, scope),
    listPrefixes: (prefix, scope) => listFolders(folder, prefix, scope),
    signedUrl: async (key, ttlMs, { signal }) => {
      signal.throwIfAborted();
      if (signer) return signer.sign({ location, key }, ttlMs);
      throw new AppError(
        "Unsupported",
        `cannot sign a URL of ${JSON.stringify(key)}: the server has no public address`,
      );
    },
  };
}

async function translate<T>(doing: string, key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(doing, key, error);
  }
}

async function* readObject(
  { path, key, openFile }: { readonly path: string; readonly key: string; readonly openFile: typeof open },
  { signal }: Scope,
): AsyncGenerator<Uint8Array> {
  try {
    signal.throwIfAborted();
    if (!(await isObject(path))) throw new AppError("NotFound", `object ${JSON.stringify(key)} not found`);
    await using file = await openFile(path, "r");
    while (true) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw fileError("read", key, error);
  }
}

async function isObject(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

async function removeObject(path: string, top: string): Promise<void> {
  if (!(await isObject(path))) return;
  const folder = dirname(path);
  try {
    await unlink(path);
    await syncFolders(folder, folder);
  } catch (error) {
    if (fileErrorCode(error) !== "ENOENT") throw error; // somebody else deleted it first
  }
  await pruneEmptyFolders(folder, top);
}

async function* listBelow(folder: string, prefix: string, scope: Scope): AsyncGenerator<string> {
  const { start, entries } = await matching(folder, prefix, scope);
  for (const entry of entries) yield* keysOf(entry, start, scope);
}

async function* keysOf({ name, path, isFolder }: FolderEntry, start: string, scope: Scope): AsyncGenerator<string> {
  if (!isFolder) return yield start + name;
  scope.signal.throwIfAborted();
  for (const entry of await translate("list", start + name, () => folderEntries(path))) {
    yield* keysOf(entry, start + name, scope);
  }
}

async function* listFolders(folder: string, prefix: string, scope: Scope): AsyncGenerator<string> {
  const { start, entries } = await matching(folder, prefix, scope);
  for (const { name, path, isFolder } of entries) {
    scope.signal.throwIfAborted();
    if (isFolder && (await translate("list", start + name, () => holdsObjects(path)))) yield start + name;
  }
}

/** The entries of the folder that a prefix points into, as far as their names begin like the rest of the prefix. */
async function matching(
  folder: string,
  prefix: string,
  { signal }: Scope,
): Promise<{ readonly start: string; readonly entries: readonly FolderEntry[] }> {
  signal.throwIfAborted();
  const start = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const rest = prefix.slice(start.length);
  const entries = await translate("list", prefix, () => folderEntries(join(folder, ...folderFromPrefix(start))));
  return { start, entries: entries.filter(({ name }) => name.startsWith(rest)) };
}
