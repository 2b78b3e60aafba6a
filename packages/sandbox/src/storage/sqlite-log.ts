import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseJson } from "@jibe/base";
import { spanOf } from "./byte-arena.ts";
import { Entry } from "./entry.ts";
import type { DurableLog } from "./store.ts";

/**
 * Keeps objects in SQLite. Each write is its own transaction in the write-ahead log before it is acknowledged, so
 * nothing acknowledged is lost when the process is killed.
 */
export function openSqliteLog(dataDir: string): DurableLog {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "objects.db");
  const database = new DatabaseSync(path);
  chmodSync(path, 0o600);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  database.exec(`
    CREATE TABLE IF NOT EXISTS objects (
      bucket TEXT, key TEXT, namespace TEXT, name TEXT, revision INTEGER, body BLOB, PRIMARY KEY (bucket, key)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS removals (only INTEGER PRIMARY KEY CHECK (only = 1), revision INTEGER);
    INSERT OR IGNORE INTO removals VALUES (1, 1);
  `);
  const save = database.prepare("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?)");
  const remove = database.prepare("DELETE FROM objects WHERE bucket = ? AND key = ?");
  const mark = database.prepare("UPDATE removals SET revision = ?");
  return {
    save: (bucket, { key, namespace, name, revision, bytes }) => {
      save.run(bucket, key, namespace, name, revision, bytes);
    },
    remove: (bucket, key, revision) => {
      database.exec("BEGIN");
      remove.run(bucket, key);
      mark.run(revision);
      database.exec("COMMIT");
    },
    load: () => {
      const highest = database
        .prepare(
          "SELECT max((SELECT ifnull(max(revision), 0) FROM objects), (SELECT revision FROM removals)) AS revision",
        )
        .get();
      const rows = database.prepare("SELECT bucket, key, revision, body FROM objects").iterate();
      return { revision: Number(highest?.["revision"] ?? 1), entries: entriesFrom(rows) };
    },
    [Symbol.dispose]: () => database.close(),
  };
}

function* entriesFrom(rows: Iterable<Record<string, unknown>>): Generator<readonly [string, Entry]> {
  for (const row of rows) {
    const bytes = Buffer.from(row["body"] as Uint8Array);
    const { metadata } = parseJson(`{${bytes.toString()}`) as { metadata: { labels?: Record<string, string> } };
    const head = { key: String(row["key"]), revision: Number(row["revision"]), labels: metadata.labels };
    yield [String(row["bucket"]), new Entry(head, spanOf(bytes))];
  }
}
