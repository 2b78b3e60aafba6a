import { veleroTypes } from "../../api/resource-types.ts";
import type { VolumeSnapshotLocation } from "../../api/resources.ts";
import { getCommand } from "../resource/get-command.ts";
import { snapshotLocationTable } from "./snapshot-location-table.ts";

export const snapshotLocationGet = getCommand<VolumeSnapshotLocation>({
  noun: "snapshot-location",
  what: "volume snapshot locations",
  type: veleroTypes.volumeSnapshotLocation,
  view: snapshotLocationTable,
});
