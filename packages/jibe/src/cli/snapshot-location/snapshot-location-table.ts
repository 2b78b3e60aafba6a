import type { VolumeSnapshotLocation } from "../../api/resources.ts";
import type { TableView } from "../print/table.ts";

export const snapshotLocationTable: TableView<VolumeSnapshotLocation> = {
  header: ["NAME", "PROVIDER"],
  row: ({ metadata, spec }) => [metadata.name, spec.provider],
};
