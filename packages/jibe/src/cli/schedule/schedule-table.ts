import type { Schedule } from "../../api/resources.ts";
import { selectorText } from "../print/selector.ts";
import type { TableView } from "../print/table.ts";
import { goTime, shortSpan } from "../print/time.ts";

export const scheduleTable: TableView<Schedule> = {
  header: ["NAME", "STATUS", "CREATED", "SCHEDULE", "BACKUP TTL", "LAST BACKUP", "SELECTOR", "PAUSED"],
  row: ({ metadata, spec, status }, now) => [
    metadata.name,
    status?.phase ?? "New",
    goTime(metadata.creationTimestamp),
    spec.schedule,
    spec.template.ttl ?? "0s",
    status?.lastBackup ? `${shortSpan(now.getTime() - Date.parse(status.lastBackup))} ago` : "n/a",
    selectorText(spec.template.labelSelector),
    String(spec.paused ?? false),
  ],
};
