import { AppError, type Clock, type Scope } from "@jibe/base";
import type { VolumeSnapshotterV1, VolumeSnapshotterV2 } from "../contracts/index.ts";

const firstPollMs = 250;
const maxPollMs = 5000;

/** Serves hosts that take a snapshot for complete once it has an ID: the ID is given when that is true. */
export function snapshotterV2AsV1(v2: VolumeSnapshotterV2, clock: Clock): VolumeSnapshotterV1 {
  return {
    init: (config, scope) => v2.init(config, scope),
    createVolumeFromSnapshot: (input, scope) => v2.createVolumeFromSnapshot(input, scope),
    getVolumeInfo: (volume, scope) => v2.getVolumeInfo(volume, scope),
    async createSnapshot(input, scope) {
      const snapshotId = await v2.createSnapshot(input, scope);
      await untilComplete(v2, { snapshotId, clock }, scope);
      return snapshotId;
    },
    deleteSnapshot: (snapshotId, scope) => v2.deleteSnapshot(snapshotId, scope),
    getVolumeId: (volume, scope) => v2.getVolumeId(volume, scope),
    setVolumeId: (volume, volumeId, scope) => v2.setVolumeId(volume, volumeId, scope),
  };
}

async function untilComplete(
  v2: VolumeSnapshotterV2,
  { snapshotId, clock }: { readonly snapshotId: string; readonly clock: Clock },
  scope: Scope,
): Promise<void> {
  for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 2)) {
    const { completed, error } = await v2.progress(snapshotId, scope);
    if (completed && error) throw new AppError("Internal", `snapshot ${snapshotId} failed: ${error}`);
    if (completed) return;
    await clock.sleep(pollMs, scope);
  }
}
