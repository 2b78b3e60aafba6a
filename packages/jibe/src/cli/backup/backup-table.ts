import type { Backup } from "../../api/resources.ts";
import { selectorText } from "../print/selector.ts";
import type { TableView } from "../print/table.ts";
import { goTime, untilOrAgo } from "../print/time.ts";

/** Backups by name; those of one schedule, whose names end in a time, newest first. */
export function compareBackups(a: Backup, b: Backup): number {
  const [prefixA, stampA] = splitStamp(a.metadata.name);
  const [prefixB, stampB] = splitStamp(b.metadata.name);
  if (stampA && stampB && prefixA === prefixB) return stampA > stampB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function splitStamp(name: string): [string, string | undefined] {
  const match = /^(.*)-(\d{14})$/.exec(name);
  return match ? [match[1] ?? "", match[2]] : [name, undefined];
}

export function backupStatusText({ metadata, status }: Backup): string {
  return metadata.deletionTimestamp ? "Deleting" : status?.phase || "New";
}

export const backupTable: TableView<Backup> = {
  header: [
    "NAME",
    "STATUS",
    "ERRORS",
    "WARNINGS",
    "CREATED",
    "EXPIRES",
    "STORAGE LOCATION",
    "QUEUE POSITION",
    "SELECTOR",
  ],
  sort: compareBackups,
  row: (backup, now) => [
    backup.metadata.name,
    backupStatusText(backup),
    String(backup.status?.errors ?? 0),
    String(backup.status?.warnings ?? 0),
    goTime(backup.status?.startTimestamp),
    untilOrAgo(backup.status?.expiration, now),
    backup.spec.storageLocation ?? "",
    backup.status?.queuePosition ? String(backup.status.queuePosition) : "",
    selectorText(backup.spec.labelSelector),
  ],
};
