import { expect, test } from "vitest";
import { labelValueFrom } from "./label-value.ts";
import { backupKeys, restoreKeys } from "./object-keys.ts";

test("a backup's files lie in its own folder under its name", () => {
  const keys = backupKeys("daily");
  expect(keys.metadata).toBe("backups/daily/velero-backup.json");
  expect(keys.contents).toBe("backups/daily/daily.tar.gz");
  expect(keys.log).toBe("backups/daily/daily-logs.gz");
  expect(keys.results).toBe("backups/daily/daily-results.gz");
  expect(keys.ledger).toBe("backups/daily/daily-ledger.jsonl.gz");
  for (const key of Object.values(keys)) expect(key.startsWith(keys.directory)).toBe(true);
});

test("a restore's files have the prefix, its volume info has not", () => {
  const keys = restoreKeys("r1");
  expect(keys.log).toBe("restores/r1/restore-r1-logs.gz");
  expect(keys.itemOperations).toBe("restores/r1/restore-r1-itemoperations.json.gz");
  expect(keys.volumeInfo).toBe("restores/r1/r1-volumeinfo.json.gz");
});

test("a label value keeps 63 characters and shortens longer ones to 63 with a hash", () => {
  expect(labelValueFrom("a".repeat(63))).toBe("a".repeat(63));
  const long = labelValueFrom("a".repeat(64));
  expect(long).toHaveLength(63);
  expect(long).toMatch(/^a{57}[0-9a-f]{6}$/);
});
