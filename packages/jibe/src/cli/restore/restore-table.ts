import type { Restore } from "../../api/resources.ts";
import { selectorText } from "../print/selector.ts";
import type { TableView } from "../print/table.ts";
import { goTime } from "../print/time.ts";

export const restoreTable: TableView<Restore> = {
  header: ["NAME", "BACKUP", "STATUS", "STARTED", "COMPLETED", "ERRORS", "WARNINGS", "CREATED", "SELECTOR"],
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.backupName ?? "",
    `${status?.phase ?? "New"}${metadata.deletionTimestamp ? " (Deleting)" : ""}`,
    goTime(status?.startTimestamp),
    goTime(status?.completionTimestamp),
    String(status?.errors ?? 0),
    String(status?.warnings ?? 0),
    goTime(metadata.creationTimestamp),
    selectorText(spec.labelSelector),
  ],
};
