import { labels } from "./names.ts";
import type { Backup, Schedule } from "./resources.ts";

/** The time as names of scheduled backups carry it: `20260131235959` on the zone's clock. */
export function nameStamp(time: Date, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second" }).replace(/\D/g, "");
}

/** The backup that a schedule makes at a given time. */
export function backupFromSchedule(schedule: Schedule, name: string): Backup {
  const { spec, metadata } = schedule;
  const own = spec.template.metadata?.labels ?? metadata.labels ?? {};
  const annotations = metadata.annotations ?? {};
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name,
      labels: { ...own, [labels.scheduleName]: metadata.name },
      ...(Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {}),
      ...(spec.useOwnerReferencesInBackup
        ? {
            ownerReferences: [
              {
                apiVersion: "velero.io/v1",
                kind: "Schedule",
                name: metadata.name,
                uid: metadata.uid ?? "",
                controller: true,
              },
            ],
          }
        : {}),
    },
    spec: structuredClone(spec.template),
  };
}
