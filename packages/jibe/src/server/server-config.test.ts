import { expect, test } from "vitest";
import { disabledControllers } from "./server-config.ts";

test("controllers are turned off by name, and by --restore-only", () => {
  const flags = { disableControllers: ["gc"], restoreOnly: false };
  expect([...disabledControllers(flags)]).toEqual(["gc"]);
  const forRestores = disabledControllers({ disableControllers: [], restoreOnly: true });
  expect(forRestores.has("schedule")).toBe(true);
  expect(forRestores.has("restore")).toBe(false);
});

test("a controller that does not exist is refused with those that do", () => {
  const flags = { disableControllers: ["gc", "bakup"], restoreOnly: false };
  expect(() => disabledControllers(flags)).toThrow(/unknown bakup; known are backup-queue, backup, /);
});
