import { messageOf, type Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { gzippedJson, gzippedText } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import { chunk, put, putJson } from "../layout/put-json.ts";
import type { RunResults } from "../ledger/run-results.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { ScratchFile } from "../ports/scratch.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import type { StoredVolumeInfo } from "../volumes/volume-info.ts";
import { encodeBackup } from "./encode-backup.ts";

/** Everything a run leaves in the store. */
export interface BackupFiles {
  readonly backup: Backup;
  readonly log: ScratchFile | undefined;
  /** Absent when it could not be completed: then there is no backup, only its account. */
  readonly contents: ScratchFile | undefined;
  readonly ledger: ScratchFile | undefined;
  /** JSON in pieces. */
  readonly resourceList: Iterable<string>;
  readonly results: RunResults;
  readonly operations: readonly BackupOperation[];
  readonly snapshots: readonly StoredSnapshot[];
  readonly volumeInfos: readonly StoredVolumeInfo[];
}

/**
 * Uploads the log (its failure is only logged), contents, the rest, and the metadata last: a folder is a backup once it has its
 * metadata, for whoever finds it after a crash and for other clusters. Velero writes the metadata before the contents, but nobody
 * reads them in between. When something fails, the contents are removed again and the failure is thrown.
 */
export async function uploadBackup(files: BackupFiles, store: ObjectStore, scope: Scope): Promise<void> {
  const keys = backupKeys(files.backup.metadata.name);
  const { log, contents, ledger } = files;
  if (log) {
    await put(store, keys.log, () => log.stream(scope), scope).catch((error: unknown) => {
      scope.signal.throwIfAborted();
      scope.log.error("Error uploading log file", { error: messageOf(error) });
    });
  }
  const results = await gzippedJson(files.results);
  const resourceList = await gzippedText(files.resourceList);
  if (!contents) {
    await put(store, keys.results, () => chunk(results), scope);
    if (ledger) await put(store, keys.ledger, () => ledger.stream(scope), scope);
    return;
  }
  const metadata = new TextEncoder().encode(encodeBackup(files.backup));
  try {
    await put(store, keys.contents, () => contents.stream(scope), scope);
    const sideFiles: readonly (readonly [string, unknown])[] = [
      [keys.podVolumeBackups, null],
      [keys.volumeSnapshots, files.snapshots.length === 0 ? null : files.snapshots],
      [keys.itemOperations, files.operations],
      [keys.volumeInfo, files.volumeInfos],
    ];
    await allSettled([
      ...sideFiles.map(([key, value]) => putJson(store, key, value, scope)),
      put(store, keys.results, () => chunk(results), scope),
      put(store, keys.resourceList, () => chunk(resourceList), scope),
      ...(ledger ? [put(store, keys.ledger, () => ledger.stream(scope), scope)] : []),
    ]);
    await put(store, keys.metadata, () => chunk(metadata), scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    for (const key of [keys.metadata, keys.contents]) await remove(store, key, scope);
    throw error;
  }
}

async function remove(store: ObjectStore, key: string, scope: Scope): Promise<void> {
  await store.delete(key, scope).catch((error: unknown) => {
    scope.signal.throwIfAborted();
    scope.log.error("cannot remove what was uploaded of a failed backup", { key, error: messageOf(error) });
  });
}

/** Waits for all, so that nothing is still being written when the first failure is thrown. */
async function allSettled(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === "rejected") throw result.reason;
}
