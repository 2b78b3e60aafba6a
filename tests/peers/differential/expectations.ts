import { expect } from "vitest";
import type { Expectation } from "./spec-file.ts";
import type { Files } from "./stored-files.ts";

/** Holds an outcome against what its spec file expects. */
export function expectOutcome(
  { object, files, names }: { object: Readonly<Record<string, unknown>>; files: Files; names: ReadonlySet<string> },
  { status, has = [], lacks = [], messages = [] }: Expectation,
): void {
  expect(object["status"]).toMatchObject(status);
  expect(has.filter((name) => !names.has(name))).toEqual([]);
  expect(lacks.filter((name) => names.has(name))).toEqual([]);
  const results = [...files].filter(([file]) => file.endsWith("-results.gz")).map(([, content]) => content);
  const said = JSON.stringify([object["status"], results]);
  expect(messages.filter((text) => !said.includes(text))).toEqual([]);
}

/** Holds the order of an archive against what its spec file expects; both servers owe it, and no comparison of files shows it. */
export function expectOrder(files: Files, { inOrder = [] }: Expectation): void {
  const names = [...files.keys()].map((file) => file.replace("archive/resources/", ""));
  expect(inOrder.map((list) => names.filter((name) => list.includes(name)))).toEqual(inOrder);
}
