import type { Clock, Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";
import { type ArchiveLimits, defaultArchiveLimits } from "./archive.ts";
import { TarGzWriter } from "./archive-writer.ts";
import { gunzip } from "./gunzip.ts";
import { TarReader } from "./tar-reader.ts";

export interface RewriteArchiveOptions {
  readonly sink: ScratchFile;
  readonly clock: Clock;
  /** New content by path (see `archivePathsOf`). Paths that the archive does not have yet are appended, sorted. */
  readonly replacements: ReadonlyMap<string, Uint8Array>;
  readonly limits?: Partial<ArchiveLimits>;
  readonly parallel?: number;
}

/** Copies an archive entry by entry, with some entries replaced in place and new ones at the end. One pass, flat memory. */
export async function rewriteArchive(
  source: AsyncIterable<Uint8Array>,
  { replacements, limits: given, ...target }: RewriteArchiveOptions,
  scope: Scope,
): Promise<void> {
  const limits = { ...defaultArchiveLimits, ...given };
  await using writer = new TarGzWriter(target, scope);
  const tar = new TarReader(gunzip(source, limits, scope), limits);
  const replaced = new Set<string>();
  try {
    for (let entry = await tar.next(); entry; entry = await tar.next()) {
      if (entry.type === "directory") continue;
      const bytes = replacements.get(entry.path);
      if (bytes) replaced.add(entry.path);
      await writer.writeFile(
        bytes ? { path: entry.path, bytes } : { path: entry.path, bytes: await tar.body(), mtime: entry.mtime },
      );
    }
  } finally {
    await tar.close();
  }
  for (const path of [...replacements.keys()].filter((path) => !replaced.has(path)).sort()) {
    await writer.writeFile({ path, bytes: replacements.get(path) ?? new Uint8Array() });
  }
  await writer.finish();
}
