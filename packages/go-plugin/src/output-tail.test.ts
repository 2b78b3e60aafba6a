import { expect, test } from "vitest";
import { OutputTail } from "./output-tail.ts";

const lines = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix} ${i}`);

test("the last lines are kept", () => {
  const tail = new OutputTail();
  for (const line of lines(100, "line")) tail.add(line);
  expect(tail.lines()).toHaveLength(30);
  expect(tail.lines().at(-1)).toBe("line 99");
});

test("of a panic the head is kept, which says why", () => {
  const tail = new OutputTail();
  for (const line of [...lines(50, "before"), "panic: why", ...lines(50, "frame")]) tail.add(line);
  expect(tail.lines().slice(0, 5)).toEqual(["before 47", "before 48", "before 49", "panic: why", "frame 0"]);
  expect(tail.lines()).toHaveLength(30);
});
