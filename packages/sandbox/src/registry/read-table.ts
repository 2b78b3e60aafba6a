import { readFileSync } from "node:fs";

/** Reads one of the generated tables in `gen/`, which lies beside this file. */
export function readTable<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`./gen/${file}`, import.meta.url), "utf8")) as T;
}
