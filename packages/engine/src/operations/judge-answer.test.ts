import { AppError } from "@jibe/base";
import { expect, test } from "vitest";
import type { OperationStatus } from "./item-operation.ts";
import { type Judgement, judgeAnswer, type OperationAnswer, timedOut } from "./judge-answer.ts";

const created = "2026-01-02T03:04:05Z";
const started = new Date("2026-01-02T03:04:06Z");
const fresh: OperationStatus = { phase: "New", created };
const running: OperationStatus = { phase: "InProgress", created, started: "2026-01-02T03:04:06Z" };
const soon = new Date("2026-01-02T03:10:00Z");
const late = new Date("2026-01-02T08:00:00Z");
const failure = (error: unknown): OperationAnswer => ({ ok: false, error });

const cases: Record<
  string,
  {
    from?: OperationStatus;
    answer: OperationAnswer;
    now?: Date;
    errorsInARow?: number;
    refusalsInARow?: number;
    want: Partial<Judgement>;
  }
> = {
  "stays new while it has not started": {
    answer: { ok: true, progress: { completed: false } },
    want: { status: fresh, errorsInARow: 0 },
  },
  "is in progress once it started": {
    answer: { ok: true, progress: { completed: false, started, nCompleted: 3, nTotal: 7, operationUnits: "bytes" } },
    want: { status: { ...running, nCompleted: 3, nTotal: 7, operationUnits: "bytes" } },
  },
  "stays in progress when the plugin forgets the start": {
    from: running,
    answer: { ok: true, progress: { completed: false } },
    want: { status: running },
  },
  "is completed when the plugin says so": {
    from: running,
    answer: { ok: true, progress: { completed: true, nCompleted: 7, nTotal: 7 } },
    want: { status: { ...running, phase: "Completed", nCompleted: 7, nTotal: 7 } },
  },
  "is completed even when its time was up": {
    from: running,
    answer: { ok: true, progress: { completed: true } },
    now: late,
    want: { status: { ...running, phase: "Completed" } },
  },
  "fails with the plugin's reason": {
    from: running,
    answer: { ok: true, progress: { completed: true, error: "disk full" } },
    want: { status: { ...running, phase: "Failed", error: "disk full" }, failure: "disk full" },
  },
  "an error text without completion is no failure": {
    from: running,
    answer: { ok: true, progress: { completed: false, error: "slow" } },
    want: { status: running },
  },
  "is canceled when its time is up": {
    from: running,
    answer: { ok: true, progress: { completed: false } },
    now: late,
    want: { failure: timedOut, cancel: true },
  },
  "an unreachable plugin is asked again": {
    from: running,
    answer: failure(new AppError("Unavailable", "process died")),
    errorsInARow: 50,
    want: { status: running, errorsInARow: 51 },
  },
  "a plugin that does not answer in time is asked again": {
    from: running,
    answer: failure(new AppError("DeadlineExceeded", "took longer than 120000 ms")),
    errorsInARow: 50,
    want: { status: running, errorsInARow: 51, refusalsInARow: 0 },
  },
  "an unreachable plugin is given up with the operation's time": {
    from: running,
    answer: failure(new AppError("Unavailable", "process died")),
    now: late,
    want: { failure: `${timedOut}; the plugin's last answer: process died`, cancel: true },
  },
  "an operation the plugin does not know is lost": {
    from: running,
    answer: failure(new AppError("InvalidArgument", "invalid operation ID")),
    want: { status: { ...running, phase: "Failed", error: "invalid operation ID" }, failure: "invalid operation ID" },
  },
  "a plugin without operations has lost it": {
    from: running,
    answer: failure(new AppError("Unsupported", "no operations")),
    want: { failure: "no operations" },
  },
  "another error is forgiven twice": {
    from: running,
    answer: failure(new AppError("Internal", "boom")),
    errorsInARow: 1,
    refusalsInARow: 1,
    want: { status: running, errorsInARow: 2, refusalsInARow: 2 },
  },
  "another error fails it the third time, and it is told to stop": {
    from: running,
    answer: failure(new AppError("Internal", "boom")),
    refusalsInARow: 2,
    want: { failure: "boom", cancel: true },
  },
  "another error after many that pass is its first": {
    from: running,
    answer: failure(new AppError("Internal", "boom")),
    errorsInARow: 20,
    want: { status: running, errorsInARow: 21, refusalsInARow: 1 },
  },
  "an error that passes ends a row of others": {
    from: running,
    answer: failure(new AppError("Unavailable", "process died")),
    refusalsInARow: 2,
    want: { status: running, refusalsInARow: 0 },
  },
};

for (const [name, { from = fresh, answer, now = soon, errorsInARow = 0, refusalsInARow = 0, want }] of Object.entries(
  cases,
)) {
  test(`judgeAnswer: ${name}`, () => {
    const judged = judgeAnswer(from, answer, { now, timeoutMs: 4 * 3_600_000, errorsInARow, refusalsInARow });
    expect(judged).toMatchObject(want);
    expect(judged.failure !== undefined).toBe("failure" in want);
    expect(judged.cancel ?? false).toBe(want.cancel ?? false);
  });
}
