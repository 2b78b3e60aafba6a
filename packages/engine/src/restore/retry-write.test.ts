import { AppError } from "@jibe/base";
import { fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { retryWrite } from "./retry-write.ts";

/** Repeats a write that fails `failures` times, on time that passes by itself. */
async function write(error: AppError, failures = Number.POSITIVE_INFINITY) {
  using scope = testScope();
  const clock = fakeClock({ autoAdvance: true });
  let calls = 0;
  const call = async () => {
    if (++calls <= failures) throw error;
    return "written";
  };
  const outcome = await retryWrite(call, clock, scope).catch((thrown: unknown) => thrown);
  return { outcome, calls, elapsedMs: clock.monotonicMs() };
}

describe("a write", () => {
  const passing = {
    "an overload": new AppError("Unavailable", "429"),
    "a conflict": new AppError("Conflict", "409"),
    "a call that took too long": new AppError("DeadlineExceeded", "no answer"),
  };
  for (const [name, error] of Object.entries(passing)) {
    test(`that met ${name} is tried again, for about a minute`, async () => {
      expect(await write(error, 9)).toMatchObject({ outcome: "written", calls: 10 });
      const { outcome, calls, elapsedMs } = await write(error);
      expect([outcome, calls]).toEqual([error, 10]);
      expect(elapsedMs).toBeGreaterThan(30_000);
      expect(elapsedMs).toBeLessThan(120_000);
    });
  }

  test("that met an internal error is tried three times more: it is mostly a webhook that fails or hangs", async () => {
    const error = new AppError("Unavailable", "failed calling webhook", { fields: { reason: "InternalError" } });
    expect(await write(error, 3)).toMatchObject({ outcome: "written", calls: 4 });
    expect(await write(error)).toMatchObject({ outcome: error, calls: 4 });
  });

  test("that was refused is not tried again", async () => {
    const error = new AppError("InvalidArgument", "field is immutable");
    expect(await write(error)).toMatchObject({ outcome: error, calls: 1 });
  });
});
