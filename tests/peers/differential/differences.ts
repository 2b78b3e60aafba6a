import { isRawNumber } from "@jibe/base";
import type { IgnoredPath } from "./ignored-paths.ts";
import type { Files } from "./stored-files.ts";

/** Each way in which two sets of files differ, one line each: `file path: left ≠ right`. Order of keys is no difference. */
export function differences(left: Files, right: Files, ignored: readonly IgnoredPath[]): readonly string[] {
  const names = [...new Set([...left.keys(), ...right.keys()])].sort();
  return names.flatMap((file) => {
    if (!left.has(file)) return [`${file} is only on the right`];
    if (!right.has(file)) return [`${file} is only on the left`];
    const rows = ignored.filter((row) => row.file.test(file));
    return compare(left.get(file), right.get(file), "")
      .filter(({ path }) => !rows.some((row) => row.path.test(path)))
      .map(({ path, text }) => `${file} ${path}: ${text}`);
  });
}

interface Difference {
  readonly path: string;
  readonly text: string;
}

function compare(left: unknown, right: unknown, path: string): readonly Difference[] {
  // What one side has and the other lacks is told leaf by leaf, as the table of ignored paths names leaves.
  if (left === undefined && isFilled(right)) return compare({}, right, path);
  if (right === undefined && isFilled(left)) return compare(left, {}, path);
  if (isContainer(left) && isContainer(right) && Array.isArray(left) === Array.isArray(right)) {
    return keysOf(left, right).flatMap((key) => {
      const inner = Array.isArray(left) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      return compare(left[key], right[key], inner);
    });
  }
  return show(left) === show(right) ? [] : [{ path, text: `${show(left)} ≠ ${show(right)}` }];
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isRawNumber(value);
}

function isFilled(value: unknown): boolean {
  return isContainer(value) && !Array.isArray(value) && Object.keys(value).length > 0;
}

function keysOf(left: object, right: object): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])];
}

/** Numbers by their text, so that 1.0 and 1 differ and no digit is lost. */
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = isRawNumber(value) ? value.rawJSON : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
