import type { Scope } from "@jibe/base";
import { backupKeys, encodeBackup, type ObjectStore } from "@jibe/engine";
import type { Backup } from "../../api/resources.ts";

/** Keeps the stored copy of a backup's resource in step with the cluster's. */
export async function storeBackup(backup: Backup, store: ObjectStore, scope: Scope): Promise<void> {
  const content = new TextEncoder().encode(encodeBackup(backup));
  await store.put(
    backupKeys(backup.metadata.name).metadata,
    async function* () {
      yield content;
    },
    scope,
  );
}
