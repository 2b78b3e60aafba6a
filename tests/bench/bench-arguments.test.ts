import { expect, test } from "vitest";
import { isWanted, parseBenchArguments } from "./bench-arguments.ts";

test("parts and sizes are lists; without them there are none", () => {
  const asked = parseBenchArguments(["--quick", "--only=restore,growth", "--items=300,1000", "--rounds=1"]);
  expect(asked).toMatchObject({ isQuick: true, only: ["restore", "growth"], items: [300, 1000], rounds: 1 });
  expect(parseBenchArguments(["--check"])).not.toHaveProperty("only");
});

test("an empty list of parts means none, so that the pages are written from what is kept", () => {
  expect(isWanted("growth", parseBenchArguments(["--only="]).only)).toBe(false);
  expect(isWanted("growth", undefined)).toBe(true);
});

test("a part is wanted by its name or by the words that its name begins with", () => {
  expect(
    ["restore-1000", "restore-action-1000", "restores", "backup-1000"].map((part) => isWanted(part, ["restore"])),
  ).toEqual([true, true, false, false]);
});

test("a word that nobody knows is refused, with those that there are", () => {
  expect(() => parseBenchArguments(["--quik"])).toThrow("unknown argument --quik: there are --quick");
});
