import { fakeClock, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { AppError, messageOf } from "./app-error.ts";
import { retry } from "./retry.ts";
import { withDeadline } from "./scope.ts";
import { Secret } from "./secret.ts";

test("work that outlives its deadline fails with DeadlineExceeded even when it listens to nobody", async () => {
  await using scope = testScope();
  const clock = fakeClock();
  const never = withDeadline({ ms: 1000, clock, what: "the call" }, scope, () => new Promise(() => {}));
  const failed = expect(never).rejects.toMatchObject({
    code: "DeadlineExceeded",
    message: "the call took longer than 1000 ms",
  });
  await clock.advance(1000);
  await failed;
});

test("work that ends in time gives its result and leaves no timer", async () => {
  await using scope = testScope();
  const clock = fakeClock();
  expect(await withDeadline({ ms: 1000, clock, what: "it" }, scope, async () => 7)).toBe(7);
  expect(clock.pendingTimers()).toEqual([]);
});

test("retry tries again what may pass, and only that", async () => {
  await using scope = testScope();
  const policy = { attempts: 3, firstDelayMs: 10, maxDelayMs: 100, clock: fakeClock({ autoAdvance: true }) };
  let calls = 0;
  const flaky = async () => {
    if (++calls < 3) throw new AppError("Unavailable", "later");
    return "done";
  };
  expect(await retry(flaky, policy, scope)).toBe("done");
  let final = 0;
  const broken = async () => {
    final++;
    throw new AppError("InvalidArgument", "never");
  };
  await expect(retry(broken, policy, scope)).rejects.toThrow("never");
  expect(final).toBe(1);
});

test("an error's message tells its causes once each", () => {
  const cause = new Error("connection refused");
  expect(messageOf(new AppError("Unavailable", "cannot read backup", { cause }))).toBe(
    "cannot read backup: connection refused",
  );
  expect(messageOf(new AppError("Unavailable", "cannot read: connection refused", { cause }))).toBe(
    "cannot read: connection refused",
  );
});

test("a secret shows itself nowhere", () => {
  const secret = new Secret("hunter2");
  expect(`${secret} ${JSON.stringify({ secret })}`).toBe('*** {"secret":"***"}');
  expect(secret.reveal()).toBe("hunter2");
});
