import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation, Schedule } from "../../api/resources.ts";
import { importedBackup, importedPodVolumeBackup, orphanedBackups, syncDueInMs } from "./decide-sync.ts";

const now = new Date("2026-03-01T12:00:00Z");
const api = { apiVersion: "velero.io/v1" } as const;
const location = (lastSyncedTime?: string, backupSyncPeriod?: string): BackupStorageLocation => ({
  ...api,
  kind: "BackupStorageLocation",
  metadata: { name: "main" },
  spec: { provider: "aws", ...(backupSyncPeriod ? { backupSyncPeriod } : {}) },
  status: lastSyncedTime ? { lastSyncedTime } : {},
});

const due: Record<string, [BackupStorageLocation, number | undefined]> = {
  "at once when it never was": [location(), 0],
  "after the server's period": [location("2026-03-01T11:59:30Z"), 30_000],
  "after its own period": [location("2026-03-01T11:59:30Z", "5m"), 270_000],
  "at once when the time has passed": [location("2026-03-01T10:00:00Z"), 0],
  "never with a period of zero": [location(undefined, "0s"), undefined],
  "after the server's period when its own is negative": [location("2026-03-01T11:59:30Z", "-1s"), 30_000],
};
for (const [name, [given, want]] of Object.entries(due)) {
  test(`a location is synced ${name}`, () => expect(syncDueInMs(given, 60_000, now)).toBe(want));
}

const stored = (
  changes: Partial<Backup["metadata"]> = {},
  status: Backup["status"] = { phase: "Completed" },
): Backup => ({
  ...api,
  kind: "Backup",
  metadata: { name: "daily", namespace: "velero", uid: "1", resourceVersion: "7", ...changes },
  spec: { storageLocation: "theirs" },
  status,
});
const schedule: Schedule = {
  ...api,
  kind: "Schedule",
  metadata: { name: "nightly", uid: "s1" },
  spec: { template: {}, schedule: "@daily" },
};
const context = { namespace: "elsewhere", location: "main", schedules: [schedule], now };
const owner = (name: string, uid: string) => ({ ...api, kind: "Schedule", name, uid });

test("a backup taken in gets our namespace and location, and no version", () => {
  expect(importedBackup(stored({ labels: { team: "shop" } }), context)).toEqual({
    ...api,
    kind: "Backup",
    metadata: {
      name: "daily",
      namespace: "elsewhere",
      uid: "1",
      labels: { team: "shop", "velero.io/storage-location": "main" },
    },
    spec: { storageLocation: "main" },
    status: { phase: "Completed" },
  });
});

test("a backup taken in keeps only owners that exist here", () => {
  const ownerReferences = [owner("nightly", "s1"), owner("nightly", "other"), owner("gone", "s1")];
  const taken = importedBackup(stored({ ownerReferences }), context);
  expect(taken?.metadata.ownerReferences).toEqual([owner("nightly", "s1")]);
});

test("a backup that another server works on is left until it expired, and is then taken in as partially failed", () => {
  const waiting = (expiration: string) => stored({}, { phase: "WaitingForPluginOperations", expiration });
  expect(importedBackup(waiting("2026-03-02T00:00:00Z"), context)).toBeUndefined();
  expect(importedBackup(waiting("2026-03-01T00:00:00Z"), context)?.status?.phase).toBe("PartiallyFailed");
});

for (const phase of [undefined, "New", "Queued", "ReadyToStart", "InProgress", "Deleting"] as const) {
  test(`a backup that its store says is ${phase ?? "without a phase"} is not taken in, lest it be run`, () =>
    expect(importedBackup(stored({}, phase ? { phase } : {}), context)).toBeUndefined());
}

test("a backup taken in has no hooks", () => {
  const withHooks: Backup = { ...stored(), spec: { hooks: { resources: [{ name: "h" }] }, ttl: "1h0m0s" } };
  expect(importedBackup(withHooks, context)?.spec).toEqual({ ttl: "1h0m0s", storageLocation: "main" });
});

test("a pod volume backup taken in belongs to the backup as it is here", () => {
  const volume = {
    ...api,
    kind: "PodVolumeBackup",
    metadata: {
      name: "daily-x",
      namespace: "velero",
      resourceVersion: "9",
      labels: { "velero.io/backup-name": "daily", "velero.io/backup-uid": "1" },
      ownerReferences: [{ ...api, kind: "Backup", name: "daily", uid: "1" }],
    },
    spec: { backupStorageLocation: "theirs", volume: "data" },
  };
  const here = stored({ namespace: "elsewhere", uid: "2" });
  expect(importedPodVolumeBackup(volume, here, "main")).toEqual({
    ...volume,
    metadata: {
      name: "daily-x",
      namespace: "elsewhere",
      labels: { "velero.io/backup-name": "daily", "velero.io/backup-uid": "2" },
      ownerReferences: [{ ...api, kind: "Backup", name: "daily", uid: "2" }],
    },
    spec: { backupStorageLocation: "main", volume: "data" },
  });
});

test("only ended backups of the location that are gone from the store are orphans", () => {
  const own = (
    name: string,
    phase: NonNullable<Backup["status"]>["phase"] = "Completed",
    storageLocation = "main",
  ) => ({
    ...stored({ name }, { phase } as Backup["status"]),
    spec: { storageLocation },
  });
  const backups = [
    own("kept"),
    own("gone"),
    own("running", "InProgress"),
    own("failed", "Failed"),
    own("other", "Completed", "b"),
  ];
  expect(orphanedBackups(backups, "main", new Set(["kept"])).map(({ metadata }) => metadata.name)).toEqual(["gone"]);
});
