import { expect, test } from "vitest";
import { ActiveRuns, isCancelRequested, RunStopped } from "./active-runs.ts";

const requests: Readonly<Record<string, [object: Parameters<typeof isCancelRequested>[0], want: boolean]>> = {
  "by its field": [{ metadata: {}, spec: { cancel: true } }, true],
  "by its annotation": [{ metadata: { annotations: { "jibe.io/cancel": "true" } }, spec: {} }, true],
  "not by another value of the annotation": [
    { metadata: { annotations: { "jibe.io/cancel": "no" } }, spec: {} },
    false,
  ],
  "not by a field that is false": [{ metadata: {}, spec: { cancel: false } }, false],
  "not without either": [{ metadata: {}, spec: {} }, false],
};
for (const [name, [object, want]] of Object.entries(requests)) {
  test(`a cancel is asked for ${name}`, () => expect(isCancelRequested(object)).toBe(want));
}

test("a run is stopped by its name, for the user's reason, and only while it is under way", () => {
  const runs = new ActiveRuns();
  {
    using run = runs.begin("daily", new AbortController().signal);
    expect(runs.cancel("weekly")).toBe(false);
    expect(runs.cancel("daily")).toBe(true);
    expect(run.signal.reason).toEqual(new RunStopped("canceled"));
    expect(run.signal.reason.message).toBe("Canceled by user");
  }
  expect(runs.isRunning("daily")).toBe(false);
  expect(runs.cancel("daily")).toBe(false);
});
