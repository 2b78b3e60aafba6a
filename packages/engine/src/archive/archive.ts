import { AppError, type Scope } from "@jibe/base";
import { bodyFromBytes, type ItemBody } from "../item/item-body.ts";
import type { Scratch, ScratchFile } from "../ports/scratch.ts";
import { ArchiveIndex, type Extent } from "./archive-index.ts";
import { type EntryPlace, parseEntryPath, versionDirOf, versionFromDir } from "./archive-path.ts";
import { gunzip } from "./gunzip.ts";
import { ReadAhead } from "./read-ahead.ts";
import { TarReader } from "./tar-reader.ts";

export interface ArchiveLimits {
  readonly maxEntryBytes: number;
  readonly maxEntries: number;
  /** Unpacked bytes for each packed byte, beyond the first 64 MiB. */
  readonly maxRatio: number;
}

/** Far beyond any real backup: an API server stores objects of some 1.5 MiB. */
export const defaultArchiveLimits: ArchiveLimits = {
  maxEntryBytes: 64 * 1024 * 1024,
  maxEntries: 20_000_000,
  maxRatio: 200,
};

export interface ArchiveVersion {
  readonly version: string;
  /** Whether the source cluster preferred it. */
  readonly preferred: boolean;
}

export interface ArchivedItem {
  readonly groupResource: string;
  /** Empty for cluster-scoped items. */
  readonly namespace: string;
  readonly name: string;
  /** The unversioned copy unless given. */
  readonly version?: string;
}

/** A backup's items, unpacked once to a scratch file, listed in sorted order and read at random. */
export interface Archive extends AsyncDisposable {
  /** What `metadata/version` says; empty when the archive has none. */
  readonly formatVersion: string;
  /** Unversioned items. */
  readonly itemCount: number;
  /** False when there is nothing below `resources/`. */
  readonly hasResources: boolean;
  groupResources(): readonly string[];
  /** The versions a type has directories for; none in archives of format 1. */
  versions(groupResource: string): readonly ArchiveVersion[];
  /** Empty text stands for the cluster-scoped items. */
  namespaces(groupResource: string, version?: string): readonly string[];
  names(groupResource: string, namespace: string, version?: string): readonly string[];
  has(item: ArchivedItem): boolean;
  /** Fails with `NotFound` when the archive has no such item. */
  read(item: ArchivedItem, scope: Scope): Promise<ItemBody>;
}

/**
 * Unpacks an archive. Input that is corrupt, truncated, hostile or no archive fails with `DataLoss` or `InvalidArgument` and names the
 * entry; then nothing is left behind. What a body holds is not looked at: a broken item fails when it is read.
 */
export async function openArchive(
  source: AsyncIterable<Uint8Array>,
  { scratch, limits = {} }: { readonly scratch: Scratch; readonly limits?: Partial<ArchiveLimits> },
  scope: Scope,
): Promise<Archive> {
  const file = await scratch.create("archive", scope);
  try {
    const spill = new Spill(file);
    await spill.fill(source, { ...defaultArchiveLimits, ...limits }, scope);
    return new SpilledArchive(spill);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

const batchBytes = 1024 * 1024;

/** Copies bodies to the scratch file in large pieces and notes where they lie. */
class Spill {
  readonly file: ScratchFile;
  readonly index = new ArchiveIndex();
  formatVersion = "";
  hasResources = false;
  #batch: Uint8Array[] = [];
  #batchLength = 0;
  #size = 0;
  #previous: { readonly place: EntryPlace & { kind: "item" }; readonly body: Uint8Array } | undefined;

  constructor(file: ScratchFile) {
    this.file = file;
  }

  async fill(source: AsyncIterable<Uint8Array>, limits: ArchiveLimits, scope: Scope): Promise<void> {
    const tar = new TarReader(gunzip(source, limits, scope), limits);
    try {
      for (let entry = await tar.next(); entry; entry = await tar.next()) {
        if (entry.type === "directory") continue;
        const place = parseEntryPath(entry.path);
        if (place.kind === "item") await this.#add(place, await tar.body(), scope);
        else if (place.path === "metadata/version")
          this.formatVersion = Buffer.from(await tar.body())
            .toString()
            .trim();
      }
      await this.#flush(scope);
    } finally {
      await tar.close();
    }
    this.index.close();
  }

  async #add(place: EntryPlace & { kind: "item" }, body: Uint8Array, scope: Scope): Promise<void> {
    this.hasResources = true;
    const previous = this.#previous;
    this.#previous = undefined;
    if (previous && place.dir !== "" && isCopy(previous, place, body)) return this.index.mirrorLast(place);
    this.index.add(place, await this.#append(body, scope));
    if (place.dir === "") this.#previous = { place, body };
  }

  async #append(body: Uint8Array, scope: Scope): Promise<Extent> {
    const extent = { offset: this.#size, length: body.length };
    this.#batch.push(body);
    this.#batchLength += body.length;
    this.#size += body.length;
    if (this.#batchLength >= batchBytes) await this.#flush(scope);
    return extent;
  }

  async #flush(scope: Scope): Promise<void> {
    if (this.#batchLength === 0) return;
    const bytes = Buffer.concat(this.#batch, this.#batchLength);
    this.#batch = [];
    this.#batchLength = 0;
    await this.file.append(bytes, scope);
  }
}

function isCopy(
  previous: { readonly place: EntryPlace & { kind: "item" }; readonly body: Uint8Array },
  place: EntryPlace & { kind: "item" },
  body: Uint8Array,
): boolean {
  return (
    previous.place.groupResource === place.groupResource &&
    previous.place.namespace === place.namespace &&
    previous.place.name === place.name &&
    Buffer.compare(previous.body, body) === 0
  );
}

class SpilledArchive implements Archive {
  readonly #spill: Spill;
  readonly #bodies: ReadAhead;

  constructor(spill: Spill) {
    this.#spill = spill;
    this.#bodies = new ReadAhead(spill.file);
  }

  get formatVersion(): string {
    return this.#spill.formatVersion;
  }

  get itemCount(): number {
    return this.#spill.index.count;
  }

  get hasResources(): boolean {
    return this.#spill.hasResources;
  }

  groupResources(): readonly string[] {
    return this.#spill.index.groupResources();
  }

  versions(groupResource: string): readonly ArchiveVersion[] {
    return this.#spill.index.dirs(groupResource).map(versionFromDir);
  }

  namespaces(groupResource: string, version?: string): readonly string[] {
    return this.#spill.index.namespaces(groupResource, this.#dir(groupResource, version));
  }

  names(groupResource: string, namespace: string, version?: string): readonly string[] {
    return this.#spill.index.names(groupResource, this.#dir(groupResource, version), namespace);
  }

  has(item: ArchivedItem): boolean {
    return this.#find(item) !== undefined;
  }

  async read(item: ArchivedItem, scope: Scope): Promise<ItemBody> {
    const extent = this.#find(item);
    if (!extent) throw new AppError("NotFound", "item is not in the backup", { fields: { ...item } });
    return bodyFromBytes(await this.#bodies.read(extent, scope));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#spill.file[Symbol.asyncDispose]());
  }

  #find({ groupResource, namespace, name, version }: ArchivedItem): Extent | undefined {
    return this.#spill.index.find({ groupResource, dir: this.#dir(groupResource, version), namespace, name });
  }

  #dir(groupResource: string, version: string | undefined): string {
    if (version === undefined) return "";
    const preferred = versionDirOf(version, true);
    return this.#spill.index.dirs(groupResource).includes(preferred) ? preferred : version;
  }
}
