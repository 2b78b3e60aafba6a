export { type LocalVolumeOptions, localVolumeName, localVolumeSnapshotter } from "./local-volume-snapshotter.ts";
export type { ProcessMarks } from "./process-marks.ts";
export { SnapshotCopies } from "./snapshot-copies.ts";
