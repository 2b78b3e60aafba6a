import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCaptured } from "./product/captured-process.ts";

/** What the README shows of a run, without times and without what a terminal redraws. */
async function shownInReadme(): Promise<string[]> {
  const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, block = ""] = /```text\n(1\. A cluster[\s\S]*?)```/.exec(readme) ?? [];
  return block
    .split("\n")
    .map(withoutTime)
    .filter((line) => line.trim() !== "");
}

const withoutTime = (line: string) => line.replace(/ \(\d+\.\d s\)$/, "").trimEnd();

test("the quickstart backs up, destroys, restores and proves it, as the README shows", async () => {
  const { PATH, HOME } = process.env;
  const { exitCode, out, err } = await startCaptured(["quickstart"], { env: { PATH, HOME } }).ended;
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const lines = out.split("\n").map(withoutTime);
  for (const line of await shownInReadme()) expect(lines).toContain(line);
}, 120_000);
