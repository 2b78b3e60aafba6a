import type { Clock, Scope } from "@jibe/base";
import type { Backup, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { record, text } from "../policies/volume-facts.ts";
import type { SkippedVolumes, VolumeApproach } from "./skipped-volumes.ts";
import { type Snapshotters, type TakenSnapshot, takeSnapshot } from "./take-snapshot.ts";
import type { VolumeDecisions } from "./volume-decisions.ts";

export interface VolumeBackupOptions {
  readonly backup: Backup;
  readonly clock: Clock;
  readonly decisions: VolumeDecisions;
  readonly skipped: SkippedVolumes;
  readonly snapshotters: Snapshotters;
  /** Whether CSI volumes are left to the CSI actions. */
  readonly csiEnabled: boolean;
  /** Whether there is an action that takes CSI volumes. */
  readonly hasCsiAction: boolean;
  readonly onSnapshot: (taken: TakenSnapshot) => void;
}

/**
 * Takes the data of a persistent volume by a native snapshot, if that is wanted and some snapshotter knows the volume. Throws what
 * makes the item fail. Data that was asked for by a method this server does not have is logged as an error and the item goes on.
 */
export async function backUpVolume(
  volume: KubernetesObject,
  options: VolumeBackupOptions,
  scope: Scope,
): Promise<void> {
  const { backup, clock, decisions, skipped, snapshotters, csiEnabled, onSnapshot } = options;
  const { name } = volume.metadata;
  const movesData = backup.spec.snapshotMoveData === true;
  const isCsi = record(volume["spec"])["csi"] !== undefined;
  if (!(await decisions.wantsSnapshotOfVolume(volume, scope))) {
    skipped.record(name, "volumeSnapshot", "not satisfy the criteria for VolumePolicy or the legacy snapshot way");
    return;
  }
  if (csiEnabled && isCsi) {
    if (!options.hasCsiAction) reportUntaken(volume, movesData ? "data movement" : "CSI snapshot", skipped, scope);
    return;
  }
  if (movesData) warnAboutMovement({ csiEnabled }, scope);
  if (await decisions.isSkippedByPolicy(volume, scope)) {
    skipped.record(name, "volumeSnapshot", "matched action is 'skip' in chosen resource policies");
    return;
  }
  const source = await snapshotters.find(volume, scope);
  if (!source) {
    if (movesData) reportUntaken(volume, "data movement", skipped, scope);
    skipped.record(name, "volumeSnapshot", "no applicable volumesnapshotter found");
    return;
  }
  const taken = await takeSnapshot({ backup, volume, source, clock }, scope);
  skipped.take(name);
  onSnapshot(taken);
  if (taken.error) throw taken.error;
}

function warnAboutMovement({ csiEnabled }: { readonly csiEnabled: boolean }, scope: Scope): void {
  scope.log.warn("VolumeSnapshotter plugin doesn't support data movement.");
  if (csiEnabled) {
    const text = "Cannot use CSI data mover to handle PV, because PV doesn't contain CSI in spec.";
    scope.log.warn(`${text} Fall back to Velero native snapshot.`);
  }
}

const approaches: Readonly<Record<string, VolumeApproach>> = {
  "CSI snapshot": "csiSnapshot",
  "data movement": "csiSnapshot",
};

function reportUntaken(volume: KubernetesObject, method: string, skipped: SkippedVolumes, scope: Scope): void {
  const { name } = volume.metadata;
  const claimRef = record(record(volume["spec"])["claimRef"]);
  const claim =
    text(claimRef["name"]) === "" ? "no claim" : `claim ${text(claimRef["namespace"])}/${text(claimRef["name"])}`;
  const reason = `${method} of volume ${name} (${claim}) was asked for and cannot be made: this server has no ${method}`;
  scope.log.error("Volume data cannot be backed up", { error: reason });
  skipped.record(name, approaches[method] ?? "any", reason);
}
