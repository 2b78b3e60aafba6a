import type { BackupStorageLocation } from "../../api/resources.ts";
import type { TableView } from "../print/table.ts";
import { goTime } from "../print/time.ts";

export const backupLocationTable: TableView<BackupStorageLocation> = {
  header: ["NAME", "PROVIDER", "BUCKET/PREFIX", "PHASE", "LAST VALIDATED", "ACCESS MODE", "DEFAULT"],
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.provider,
    [spec.objectStorage?.bucket ?? "", spec.objectStorage?.prefix].filter(Boolean).join("/"),
    status?.phase || "Unknown",
    goTime(status?.lastValidationTime, "Unknown"),
    spec.accessMode || "ReadWrite",
    spec.default ? "true" : "",
  ],
};
