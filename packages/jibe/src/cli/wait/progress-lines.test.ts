import { expect, test } from "vitest";
import { progressLines } from "./progress-lines.ts";
import type { OperationProgress, RunProgress } from "./run-progress.ts";
import { plainLine } from "./run-view.ts";

const nowMs = Date.parse("2026-03-01T12:01:00Z");
const run = (changes: Partial<RunProgress> = {}): RunProgress => ({
  kind: "backup",
  phase: "InProgress",
  place: "",
  done: 1200,
  total: 4800,
  perSecond: 300,
  elapsedMs: 4000,
  queuePosition: 0,
  operations: { attempted: 0, ended: 0 },
  ...changes,
});
const operation = (changes: Partial<OperationProgress> = {}): OperationProgress => ({
  item: "persistentvolumeclaims shop/data",
  phase: "InProgress",
  done: 512 * 2 ** 20,
  total: 2 ** 30,
  units: "Bytes",
  description: "",
  startedMs: nowMs - 64_000,
  updatedMs: nowMs,
  ...changes,
});
const shown = (progress: RunProgress, operations: OperationProgress[] = [], columns = 100, rows = 24) =>
  progressLines(progress, operations, { columns, rows, frame: 0, nowMs }).map((spans) =>
    spans
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );
const waiting = run({ phase: "WaitingForPluginOperations", operations: { attempted: 4, ended: 1 } });

test("what the server is at stands below, as far as it fits", () => {
  const restoring = run({ kind: "restore", place: "wave other types: deployments.apps shop/web" });
  expect(shown(restoring)[1]).toBe("  wave other types: deployments.apps shop/web");
  expect(shown(restoring, [], 24)[1]).toBe("  wave other types: dep");
  expect(plainLine(restoring)).toBe(
    "InProgress: 1,200/4,800 items, 12s left, wave other types: deployments.apps shop/web",
  );
});

test("a wide terminal shows bar, counts, speed and time left", () => {
  expect(shown(run())).toEqual([`⠋ InProgress  ${"█".repeat(8)}${"░".repeat(22)}  1,200/4,800 items  300/s  12s left`]);
});

test("a narrow terminal loses the bar first, then what stands last", () => {
  expect(shown(run(), [], 52)).toEqual(["⠋ InProgress  1,200/4,800 items  300/s  12s left"]);
  expect(shown(run(), [], 40)).toEqual(["⠋ InProgress  1,200/4,800 items  300/s"]);
  expect(shown(run(), [], 20)).toEqual(["⠋ InProgress"]);
  expect(shown(run(), [], 8)).toEqual(["⠋ InPro"]);
});

test("no line is as wide as the terminal", () => {
  for (let columns = 1; columns < 160; columns++) {
    const operations = [operation(), operation({ item: "x", total: 0, description: "copying" })];
    for (const line of shown(waiting, operations, columns)) expect(line.length).toBeLessThan(columns);
  }
});

test("each operation under way has its bar, amounts, speed and time left", () => {
  expect(shown(waiting, [operation(), operation({ item: "pods shop/db", done: 0, startedMs: undefined })])).toEqual([
    `⠋ WaitingForPluginOperations  ${"█".repeat(8)}${"░".repeat(22)}  1/4 operations  4s`,
    `  persistentvolumeclaims shop/data  ${"█".repeat(11)}${"░".repeat(10)}  50%  0.5 of 1.0 GiB  8.0 MiB/s  64s left`,
    `  pods shop/db                      ${"░".repeat(21)}   0%  0.0 of 1.0 GiB`,
  ]);
});

test("an operation that counts nothing says what it does", () => {
  const lines = shown(waiting, [
    operation({ total: 0, description: "uploading index" }),
    operation({ total: 0, phase: "New", item: "pods a/b" }),
  ]);
  expect(lines.slice(1)).toEqual([
    "  persistentvolumeclaims shop/data  uploading index",
    "  pods a/b                          new",
  ]);
});

test("more operations than rows are counted", () => {
  const many = Array.from({ length: 40 }, (_, index) => operation({ item: `pods shop/p${index}` }));
  const lines = shown(waiting, many, 100, 10);
  expect(lines).toHaveLength(8);
  expect(lines.at(-1)).toBe("  and 34 more");
});

test("a run that nobody takes says so", () => {
  const [, hint] = shown(run({ phase: "New", total: 0, done: 0, elapsedMs: 11_000 }));
  expect(hint).toContain("No server has taken it yet");
});

test("a queued run says its place", () => {
  expect(shown(run({ phase: "Queued", total: 0, done: 0, perSecond: 0, queuePosition: 2 }))).toEqual([
    "⠋ Queued  place 2 in line  4s",
  ]);
});

test("a log gets one plain line", () => {
  expect(plainLine(run())).toBe("InProgress: 1,200/4,800 items, 12s left");
  expect(plainLine(waiting)).toBe("WaitingForPluginOperations: 1/4 operations");
  expect(plainLine(run({ phase: "New", total: 0 }))).toBe("New");
});
