import { hasCode, messageOf, type Scope } from "@jibe/base";
import type { BackupOperation } from "../operations/item-operation.ts";
import { isRunning } from "../operations/judge-answer.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import { type StoredVolumeInfo, snapshotResult } from "../volumes/volume-info.ts";
import { type CancelOptions, snapshotterAt } from "./cancel-operations.ts";

/** The snapshots with the phases their operations ended in. Those that still run, or never were operations, stay as they are. */
export function finalSnapshots(
  snapshots: readonly StoredSnapshot[],
  operations: readonly BackupOperation[],
): StoredSnapshot[] {
  return snapshots.map((snapshot) => {
    const operation = operations.find((candidate) => isOf(candidate, snapshot));
    if (!operation || snapshot.status.phase !== "New" || isRunning(operation.status)) return snapshot;
    const phase = operation.status.phase === "Completed" ? "Completed" : "Failed";
    return { ...snapshot, status: { ...snapshot.status, phase } };
  });
}

function isOf({ spec }: BackupOperation, snapshot: StoredSnapshot): boolean {
  return (
    spec.volumeSnapshotLocation === snapshot.spec.location &&
    spec.operationID === snapshot.status.providerSnapshotID &&
    spec.resourceIdentifier.Name === snapshot.spec.persistentVolumeName
  );
}

/** The volume infos with the results of the snapshots that have ended since. */
export function finalVolumeInfos(
  infos: readonly StoredVolumeInfo[],
  snapshots: readonly StoredSnapshot[],
): StoredVolumeInfo[] {
  return infos.map((info) => {
    if (info.nativeSnapshotInfo?.Phase !== "New") return info;
    const snapshot = snapshots.find(({ spec }) => spec.persistentVolumeName === info.pvName);
    if (!snapshot) return info;
    const { pvInfo, nativeSnapshotInfo: _before, ...rest } = info;
    return { ...rest, ...snapshotResult(snapshot), ...(pvInfo ? { pvInfo } : {}) };
  });
}

/** Deletes what is left of snapshots that failed or were cancelled. Best effort: what cannot be deleted is logged. */
export async function deleteFailedSnapshots(
  operations: readonly BackupOperation[],
  options: Pick<CancelOptions, "plugins" | "snapshotLocations">,
  scope: Scope,
): Promise<void> {
  const failed = operations.filter(({ spec, status }) => spec.volumeSnapshotLocation && status.phase === "Failed");
  for (const { spec } of failed) {
    const { operationID: snapshot, volumeSnapshotLocation: location = "", resourceIdentifier } = spec;
    try {
      await (await snapshotterAt(location, options, scope))?.deleteSnapshot(snapshot, scope);
      scope.log.info("Deleted failed snapshot", { snapshot, location, persistentVolume: resourceIdentifier.Name });
    } catch (error) {
      scope.signal.throwIfAborted();
      if (hasCode(error, "NotFound")) continue;
      const fields = { snapshot, location, persistentVolume: resourceIdentifier.Name, error: messageOf(error) };
      scope.log.warn("Failed snapshot could not be deleted", fields);
    }
  }
}
