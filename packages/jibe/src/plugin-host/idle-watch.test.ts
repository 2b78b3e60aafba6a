import { fakeClock } from "@jibe/testkit";
import { expect, test } from "vitest";
import { IdleWatch } from "./idle-watch.ts";

const watch = () => {
  const clock = fakeClock();
  return { clock, idle: new IdleWatch({ ms: 1000, clock, what: "PutObject" }) };
};

test("a stream that the plugin does not move is given up", async () => {
  const { clock, idle } = watch();
  const guarded = idle.guard(new Promise(() => {}));
  guarded.catch(() => {}); // asserted below
  await clock.advance(1000);
  await expect(guarded).rejects.toMatchObject({
    code: "DeadlineExceeded",
    message: "PutObject did not move for 1000 ms",
  });
});

test("our own time does not count, nor does a stream that moves", async () => {
  const { clock, idle } = watch();
  async function* slowSource() {
    for (let i = 0; i < 5; i++) {
      await clock.advance(5000); // we are slow
      yield i;
      // the plugin is quick
    }
  }
  const sent: number[] = [];
  for await (const chunk of idle.sending(slowSource())) sent.push(chunk);
  expect(sent).toEqual([0, 1, 2, 3, 4]);
  expect(idle.signal.aborted).toBe(false);
  await clock.advance(1000); // and now does not answer
  expect(idle.signal.aborted).toBe(true);
});
