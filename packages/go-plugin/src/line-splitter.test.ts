import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly string[], maxBytes?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), maxBytes);
  for (const chunk of chunks) splitter.write(Buffer.from(chunk));
  splitter.end();
  return lines;
}

test("lines come whole however the bytes were cut", () => {
  expect(split(["one\ntw", "o\r\n", "\nthree"])).toEqual(["one", "two", "", "three"]);
});

test("a character cut in two is put together", () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  const bytes = Buffer.from("größe\n");
  splitter.write(bytes.subarray(0, 3));
  splitter.write(bytes.subarray(3));
  expect(lines).toEqual(["größe"]);
});

test("an endless line comes in pieces", () => {
  expect(split(["abcdefgh", "ij\nk\n"], 4)).toEqual(["abcd", "efgh", "ij", "k"]);
});
