import { describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { fakeClock } from "./fake-clock.ts";

describe("eventually", () => {
  test("returns the first value that is there", async () => {
    const values = [undefined, null, false, 0];
    expect(await eventually(() => values.shift(), { clock: fakeClock({ autoAdvance: true }) })).toBe(0);
  });

  test("tries a throwing check again and reports its last error", async () => {
    const options = { timeoutMs: 1_000, clock: fakeClock({ autoAdvance: true }) };
    const check = () => {
      throw new Error("still red");
    };
    await expect(eventually(check, options)).rejects.toMatchObject({
      code: "DeadlineExceeded",
      message: "the condition was not met within 1000 ms: still red",
    });
  });
});
