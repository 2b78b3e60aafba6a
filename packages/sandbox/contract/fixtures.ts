import { readFileSync } from "node:fs";
import type { Outcome } from "./contract-case.ts";

/** What the real server answered to the cases of an area. */
export function readFixtures(area: string): Readonly<Record<string, readonly Outcome[]>> {
  const text = readFileSync(new URL(`./fixtures/${area}.json`, import.meta.url), "utf8");
  return JSON.parse(text) as Record<string, readonly Outcome[]>;
}
