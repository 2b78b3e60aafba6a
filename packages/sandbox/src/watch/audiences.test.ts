import { expect, test } from "vitest";
import { Audiences } from "./audiences.ts";
import type { WatchSink } from "./line-batch.ts";

/** A source of lines that counts who listens to it, and sinks that note what they are sent. */
function world() {
  const audiences = new Audiences();
  const listeners = new Set<(line: Buffer) => void>();
  return {
    listeners,
    say: (text: string) => {
      for (const listener of listeners) listener(Buffer.from(text));
    },
    join: (key = "same") => {
      const heard: string[] = [];
      const sink: WatchSink = {
        write: (chunk) => void heard.push(chunk.toString()),
        end: () => {},
        signal: new AbortController().signal,
      };
      const seat = audiences.join(sink, {
        key,
        listen: (add) => {
          listeners.add(add);
          return { [Symbol.dispose]: () => void listeners.delete(add) };
        },
      });
      return { heard, seat };
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("those who watch the same share one listener, and hear what happens in a turn in one piece", async () => {
  const { listeners, say, join } = world();
  const [one, two] = [join(), join()];
  expect(listeners.size).toBe(1);
  say("a");
  say("b");
  expect(one.heard).toEqual([]);
  await turn();
  expect([one.heard, two.heard]).toEqual([["ab"], ["ab"]]);
});

test("a newcomer hears nothing of what was said before", async () => {
  const { say, join } = world();
  const early = join();
  say("a");
  const late = join();
  say("b");
  await turn();
  expect([early.heard, late.heard]).toEqual([["a", "b"], ["b"]]);
});

test("what has been said can be sent at once, so that something else can follow it", async () => {
  const { say, join } = world();
  const { heard, seat } = join();
  say("a");
  seat.flush();
  expect(heard).toEqual(["a"]);
  await turn();
  expect(heard).toEqual(["a"]);
});

test("the last to leave takes the listener along", async () => {
  const { listeners, say, join } = world();
  const [one, two, other] = [join(), join(), join("another")];
  expect(listeners.size).toBe(2);
  one.seat[Symbol.dispose]();
  say("a");
  await turn();
  expect([one.heard, two.heard, other.heard]).toEqual([[], ["a"], ["a"]]);
  two.seat[Symbol.dispose]();
  two.seat[Symbol.dispose]();
  expect(listeners.size).toBe(1);
});
