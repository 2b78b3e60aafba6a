import { expect, test } from "vitest";
import { wrapText } from "./wrap-text.ts";

test("a text is broken between words, and its further lines are indented", () => {
  const text = "   done  started an embedded cluster (0.8 s)";
  expect(wrapText(text, { columns: 30, indent: 9 })).toEqual([
    "   done  started an embedded",
    "         cluster (0.8 s)",
  ]);
  expect(wrapText(text, { columns: 80, indent: 9 })).toEqual([text]);
});

test("a word that fits nowhere stays whole", () => {
  expect(wrapText("a pvc-71bdf011-5b8d b", { columns: 8, indent: 2 })).toEqual(["a", "  pvc-71bdf011-5b8d", "  b"]);
});

test("styles take no room", () => {
  expect(wrapText("\u001b[32mdone\u001b[39m it", { columns: 9, indent: 0 })).toHaveLength(1);
});
