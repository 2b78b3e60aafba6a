export {
  type Archive,
  type ArchivedItem,
  type ArchiveLimits,
  type ArchiveVersion,
  defaultArchiveLimits,
  openArchive,
} from "./archive.ts";
export { type ArchiveItem, archivePathsOf } from "./archive-path.ts";
export {
  type ArchiveEntry,
  type ArchiveWriter,
  type ArchiveWriterOptions,
  archiveFormatVersion,
  createArchiveWriter,
} from "./archive-writer.ts";
export { type RewriteArchiveOptions, rewriteArchive } from "./rewrite-archive.ts";
