export { type LocalVolumeOptions, localVolumeName, localVolumeSnapshotter } from "./local-volume-snapshotter.ts";
export { type LocalVolumes, openLocalVolumes } from "./open-local-volumes.ts";
export type { ProcessMarks } from "./process-marks.ts";
export { SnapshotCopies } from "./snapshot-copies.ts";
