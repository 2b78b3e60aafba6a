import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { objectOf } from "./entry.ts";
import { openSqliteLog } from "./sqlite-log.ts";
import { Store } from "./store.ts";

function dataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "sqlite-log-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("what was stored is there after reopening, at the same revision", () => {
  const dir = dataDir();
  let revision: number;
  {
    using store = new Store({ durable: openSqliteLog(dir) });
    store.commit("things", { metadata: { name: "a", namespace: "ns", labels: { x: "y" } }, size: 1 });
    store.commit("things", { metadata: { name: "b", namespace: "ns" } });
    store.remove("things", { metadata: { name: "b", namespace: "ns" } });
    revision = store.revision;
  }
  using reopened = new Store({ durable: openSqliteLog(dir) });
  expect(reopened.revision).toBe(revision);
  expect(reopened.list("things").map(objectOf)).toMatchObject([{ metadata: { name: "a" }, size: 1 }]);
  expect(reopened.get("things", "ns/a")?.labels).toEqual({ x: "y" });
  expect(reopened.eventsSince("things", revision - 1)).toBeUndefined();
});

test("the database is for its owner alone", () => {
  const dir = dataDir();
  using _store = new Store({ durable: openSqliteLog(dir) });
  expect(statSync(join(dir, "objects.db")).mode & 0o777).toBe(0o600);
});

test("nothing acknowledged is lost when the process is killed", async () => {
  const dir = dataDir();
  const source = `
    const { Store } = await import(${JSON.stringify(new URL("./store.ts", import.meta.url).href)});
    const { openSqliteLog } = await import(${JSON.stringify(new URL("./sqlite-log.ts", import.meta.url).href)});
    const store = new Store({ durable: openSqliteLog(${JSON.stringify(dir)}) });
    for (let index = 0; ; index++) {
      store.commit("things", { metadata: { name: "t" + index } });
      process.stdout.write("t" + index + "\\n");
      if (index % 50 === 0) await new Promise(setImmediate);
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (acknowledged.push(line) >= 300) break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  using store = new Store({ durable: openSqliteLog(dir) });
  const kept = new Set(store.list("things").map(({ name }) => name));
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
});
