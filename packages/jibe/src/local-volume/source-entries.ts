import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import type { Scope } from "@jibe/base";
import { fileErrorCode } from "./file-error.ts";

/** Something in a volume. Paths are bytes, because names need not be valid text; they begin with `/`, the root is empty. */
export type SourceEntry = { readonly path: Buffer; readonly stat: BigIntStats } & (
  | { readonly kind: "folder" }
  /** Who takes the entry closes the file. */
  | { readonly kind: "file"; readonly file: FileHandle }
  | { readonly kind: "link"; readonly target: Buffer }
  /** Sockets, pipes and devices have no content that could be kept. */
  | { readonly kind: "special" }
);

const slash = Buffer.from("/");
// Without waiting for the writer of a pipe, and never through a link that someone put in the file's place meanwhile.
const forReading = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Everything below a folder, each folder before what is in it. A folder is opened once and its entries are reached through it, so
 * that a program inside the volume cannot lead us out by swapping a folder for a link (on Linux; elsewhere by path). What vanishes
 * meanwhile is left out.
 */
export async function* sourceEntries(root: string, scope: Scope): AsyncGenerator<SourceEntry> {
  yield* below({ real: Buffer.from(root), path: Buffer.alloc(0) }, scope);
}

interface Place {
  /** Where to reach it now. */
  readonly real: Buffer;
  /** From the root of the volume. */
  readonly path: Buffer;
}

async function* below({ real, path }: Place, scope: Scope): AsyncGenerator<SourceEntry> {
  await using folder = await open(real, forReading | constants.O_DIRECTORY);
  yield { kind: "folder", path, stat: await folder.stat({ bigint: true }) };
  const inside = process.platform === "linux" ? Buffer.from(`/proc/self/fd/${folder.fd}`) : real;
  const names = await readdir(inside, { encoding: "buffer" });
  for (const name of names.sort(Buffer.compare)) {
    scope.signal.throwIfAborted();
    const place = { real: Buffer.concat([inside, slash, name]), path: Buffer.concat([path, slash, name]) };
    try {
      yield* entriesAt(place, scope);
    } catch (error) {
      if (!isGone(error)) throw error;
      scope.log.debug("a file vanished while its volume was read", { path: place.path.toString() });
    }
  }
}

async function* entriesAt(place: Place, scope: Scope): AsyncGenerator<SourceEntry> {
  const { real, path } = place;
  const stat = await lstat(real, { bigint: true });
  if (stat.isDirectory()) return yield* below(place, scope);
  if (stat.isSymbolicLink()) {
    return yield { kind: "link", path, stat, target: await readlink(real, { encoding: "buffer" }) };
  }
  if (!stat.isFile()) return yield { kind: "special", path, stat };
  const file = await open(real, forReading);
  const opened = await file.stat({ bigint: true });
  if (opened.isFile()) return yield { kind: "file", path, stat: opened, file };
  await file.close();
  yield { kind: "special", path, stat: opened };
}

/** Gone, or replaced by something of another kind between two looks. */
function isGone(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(fileErrorCode(error));
}
