import type { Description } from "./description.ts";

/** A volume as the volume info file of a backup tells it. */
export interface VolumeInfo {
  readonly pvcName?: string;
  readonly pvcNamespace?: string;
  readonly pvName?: string;
  readonly backupMethod?: string;
  readonly skipped?: boolean;
  readonly skippedReason?: string;
  readonly result?: string;
  readonly nativeSnapshotInfo?: {
    readonly snapshotHandle?: string;
    readonly volumeType?: string;
    readonly volumeAZ?: string;
    readonly iops?: string;
    readonly Phase?: string;
  };
  readonly csiSnapshotInfo?: {
    readonly snapshotHandle?: string;
    readonly size?: number;
    readonly driver?: string;
    readonly vscName?: string;
    readonly operationID?: string;
  };
  readonly pvbInfo?: {
    readonly podName?: string;
    readonly podNamespace?: string;
    readonly volumeName?: string;
    readonly Phase?: string;
  };
}

/** How the data of each volume was taken, and which was not and why. */
export function describeVolumes(
  into: Description,
  volumes: readonly VolumeInfo[] | undefined,
  { details }: { readonly details: boolean },
): void {
  const all = volumes ?? [];
  const noCsi = volumes ? "<none included>" : "<none included or not detectable>";
  into.line("Backup Volumes:");
  describeNative(
    into,
    all.filter(({ backupMethod }) => backupMethod === "NativeSnapshot"),
    details,
  );
  describeCsi(
    into,
    all.filter(({ backupMethod }) => backupMethod === "CSISnapshot"),
    { details, none: noCsi },
  );
  describePodVolumes(
    into,
    all.filter(({ backupMethod }) => backupMethod === "PodVolumeBackup"),
  );
  const skipped = all.filter((volume) => volume.skipped);
  if (skipped.length > 0) {
    into.line("\tSkipped Volumes:");
    for (const volume of skipped) into.line(`\t\t${nameOf(volume)}:\t${volume.skippedReason ?? ""}`);
  }
}

function describeNative(into: Description, volumes: readonly VolumeInfo[], details: boolean): void {
  if (volumes.length === 0) {
    into.line("\tVelero-Native Snapshots: <none included>").line();
    return;
  }
  into.line("\tVelero-Native Snapshots:");
  for (const { pvName = "", nativeSnapshotInfo: info = {}, result = "" } of volumes) {
    if (!details) {
      into.line(`\t\t${pvName}:\tspecify --details for more information`);
      continue;
    }
    into.line(`\t\t${pvName}:`);
    into.line(`\t\t\tSnapshot ID:\t${info.snapshotHandle ?? ""}`);
    into.line(`\t\t\tType:\t${info.volumeType ?? ""}`);
    into.line(`\t\t\tAvailability Zone:\t${info.volumeAZ ?? ""}`);
    into.line(`\t\t\tIOPS:\t${info.iops && info.iops !== "0" ? info.iops : "<N/A>"}`);
    into.line(`\t\t\tResult:\t${result || (info.Phase ?? "")}`);
  }
  into.line();
}

function describeCsi(
  into: Description,
  volumes: readonly VolumeInfo[],
  { details, none }: { readonly details: boolean; readonly none: string },
): void {
  if (volumes.length === 0) {
    into.line(`\tCSI Snapshots: ${none}`).line();
    return;
  }
  into.line("\tCSI Snapshots:");
  for (const volume of volumes) {
    const { csiSnapshotInfo: info = {}, result = "" } = volume;
    into.line(`\t\t${volume.pvcNamespace}/${volume.pvcName}:`);
    if (!details) {
      into.line("\t\t\tSnapshot: included, specify --details for more information");
      continue;
    }
    into.line("\t\t\tSnapshot:");
    into.line(`\t\t\t\tOperation ID:\t${info.operationID ?? ""}`);
    into.line(`\t\t\t\tSnapshot Content Name:\t${info.vscName ?? ""}`);
    into.line(`\t\t\t\tStorage Snapshot ID:\t${info.snapshotHandle ?? ""}`);
    into.line(`\t\t\t\tSnapshot Size (bytes):\t${info.size ?? 0}`);
    into.line(`\t\t\t\tCSI Driver:\t${info.driver ?? ""}`);
    into.line(`\t\t\t\tResult:\t${result}`);
  }
  into.line();
}

function describePodVolumes(into: Description, volumes: readonly VolumeInfo[]): void {
  if (volumes.length === 0) {
    into.line("\tPod Volume Backups: <none included>");
    return;
  }
  into.line("\tPod Volume Backups:");
  for (const [phase, own] of Map.groupBy(volumes, ({ pvbInfo }) => pvbInfo?.Phase ?? "New")) {
    into.line(`\t\t${phase}:`);
    for (const { pvbInfo } of own)
      into.line(`\t\t\t${pvbInfo?.podNamespace}/${pvbInfo?.podName}:\t${pvbInfo?.volumeName}`);
  }
}

function nameOf({ pvcName, pvcNamespace, pvName }: VolumeInfo): string {
  return pvcName ? `${pvcNamespace}/${pvcName}` : (pvName ?? "");
}
