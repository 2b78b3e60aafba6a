import { messageOf, type Scope } from "@jibe/base";
import type { Restore } from "@jibe/plugin-sdk/contracts";
import { readGzippedJson } from "../layout/go-json.ts";
import { restoreKeys } from "../layout/object-keys.ts";
import { putJson } from "../layout/put-json.ts";
import type { ObjectStore } from "../ports/object-store.ts";

/** A volume that was made from a snapshot, before a persistent volume names it. */
interface MadeVolume {
  readonly pvName: string;
  readonly snapshotId: string;
  readonly volumeId: string;
}

interface KeptVolume extends MadeVolume {
  /** A later restore of the same name must not take the volume. */
  readonly restoreUID: string;
}

/**
 * The volumes that all attempts of a restore have made from snapshots. They are kept in the store, so that an attempt that is killed
 * before the cluster knows its volumes leaves them to the next one instead of leaving them behind. Until the restore's own files are
 * written, they are in the place of its volume info; from then on those that no persistent volume uses are lines of it.
 */
export class MadeVolumes {
  readonly #store: ObjectStore;
  readonly #key: string;
  readonly #restoreUID: string;
  #kept: Promise<KeptVolume[]> | undefined;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(store: ObjectStore, { metadata }: Restore) {
    this.#store = store;
    this.#key = restoreKeys(metadata.name).volumeInfo;
    this.#restoreUID = metadata.uid ?? "";
  }

  /** The volume that an attempt made for a persistent volume, if any did. */
  async find(pvName: string, snapshotId: string, scope: Scope): Promise<string | undefined> {
    const kept = await this.#all(scope);
    return kept.find((made) => made.pvName === pvName && made.snapshotId === snapshotId)?.volumeId;
  }

  /** Resolves once the volume is kept; that it cannot be is logged. Volumes made while a write is under way share the next. */
  async add(volume: MadeVolume, scope: Scope): Promise<void> {
    (await this.#all(scope)).push({ restoreUID: this.#restoreUID, ...volume });
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      this.#last = this.#write(scope);
      return this.#last;
    });
    await this.#next;
    scope.signal.throwIfAborted();
  }

  /** The volumes that nobody uses, by the names of the persistent volumes they were made for: another attempt may. */
  async unused(isUsed: (pvName: string) => boolean): Promise<readonly KeptVolume[]> {
    const kept = await this.#kept?.catch(() => undefined); // what could not be read was not added to
    return (kept ?? []).filter(({ pvName }) => !isUsed(pvName));
  }

  #all(scope: Scope): Promise<KeptVolume[]> {
    this.#kept ??= this.#read(scope);
    this.#kept.catch(() => (this.#kept = undefined)); // read anew for the next volume
    return this.#kept;
  }

  async #read(scope: Scope): Promise<KeptVolume[]> {
    const found = (await readGzippedJson(this.#store, this.#key, scope)) ?? [];
    const isOwn = (made: Partial<KeptVolume>) => made.volumeId && made.restoreUID === this.#restoreUID;
    return (found as unknown as KeptVolume[]).filter(isOwn);
  }

  /** Never fails: the volume is there and about to be used. */
  async #write(scope: Scope): Promise<void> {
    try {
      await putJson(this.#store, this.#key, await this.#all(scope), scope);
    } catch (error) {
      scope.log.warn("cannot keep which volumes were made so far", { error: messageOf(error) });
    }
  }
}
