import { parseJson } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { differences } from "./differences.ts";
import { ignoredInBackups, ignoredInRestores, ignoredInScenarios } from "./ignored-paths.ts";
import { normalised } from "./normalise.ts";
import { readScenarios } from "./scenario-file.ts";
import { readBackupSpecs, readClusterObjects, readRestoreSpecs } from "./spec-file.ts";

const files = (content: Record<string, unknown>) => new Map(Object.entries(content));

describe("differences", () => {
  test("tells which file, which path and what", () => {
    const left = files({ "a.json": { list: [1, { deep: "x" }] }, "b.json": {} });
    const right = files({ "a.json": { list: [1, { deep: "y", more: true }] }, "c.json": {} });
    expect(differences(left, right, [])).toEqual([
      'a.json list[1].deep: "x" ≠ "y"',
      "a.json list[1].more: nothing ≠ true",
      "b.json is only on the left",
      "c.json is only on the right",
    ]);
  });

  test("compares numbers by their text and keys in any order", () => {
    const left = files({ a: parseJson('{"x":9007199254740993,"y":1.0}') });
    expect(differences(left, files({ a: parseJson('{"y":1.0,"x":9007199254740993}') }), [])).toEqual([]);
    expect(differences(left, files({ a: parseJson('{"y":1,"x":9007199254740992}') }), [])).toHaveLength(2);
  });

  test("leaves out what the table says, in the files it says", () => {
    const table = [{ file: /^a$/, path: /^uid$/, reason: "made anew" }];
    const [left, right] = [files({ a: { uid: "1" }, b: { uid: "1" } }), files({ a: { uid: "2" }, b: { uid: "2" } })];
    expect(differences(left, right, table)).toEqual(['b uid: "1" ≠ "2"']);
  });
});

test("messages are compared up to the words of their cause, volumes in the order of their names", () => {
  const results = (text: string) => files({ "NAME-results.gz": { errors: { velero: [text] }, warnings: {} } });
  const theirs = results(" name: /x message: /Error backing up item error: /rpc error: code = Unknown desc = refused");
  const ours = results(' name: /x message: /Error backing up item error: /plugin "p" failed: refused');
  expect(differences(normalised(theirs), normalised(ours), [])).toEqual([]);
  const other = results(" name: /y message: /Error backing up item error: /refused");
  expect(differences(normalised(theirs), normalised(other), [])).toHaveLength(1);
  const volumes = (...names: string[]) => files({ "NAME-volumeinfo.json.gz": names.map((pvName) => ({ pvName })) });
  expect(differences(normalised(volumes("a", "b")), normalised(volumes("b", "a")), [])).toEqual([]);
});

test("of an object's writers only servers and users count; an archive's entries are left as they are", () => {
  const object = (...managers: string[]) =>
    files({ "pods/ns/one": { metadata: { name: "one", managedFields: managers.map((manager) => ({ manager })) } } });
  const theirs = normalised(object("velero-server", "kubectl", "kwok"));
  expect(differences(theirs, normalised(object("kubectl", "jibe")), [])).toEqual([]);
  expect(differences(theirs, normalised(object("jibe")), [])).not.toEqual([]);
  const archive = files({ "archive/metadata/version": "1.1.0\n" });
  expect(normalised(archive)).toEqual(archive);
});

describe("the data files", () => {
  test("are enough, and each says what it is about and what it expects", () => {
    for (const specs of [readBackupSpecs(), readRestoreSpecs()]) {
      expect(specs.length).toBeGreaterThanOrEqual(25);
      for (const { name, about, expect: expected } of specs) {
        expect({ name, about, status: expected.status }).toMatchObject({ about: expect.any(String), status: {} });
      }
    }
  });

  test("make a cluster of at most 300 objects", () => {
    const objects = [...readClusterObjects(), ...readBackupSpecs().flatMap((spec) => spec.objects)];
    expect(objects.length).toBeLessThanOrEqual(300);
  });

  test("scenarios do one thing a step, with Velero's resources named for them", () => {
    for (const { name, about, steps } of readScenarios()) {
      expect({ name, about }).toMatchObject({ about: expect.any(String) });
      expect(steps.filter((step) => Object.keys(step).length !== 1)).toEqual([]);
      const resources = steps
        .flatMap(({ apply = [] }) => apply)
        .filter(({ apiVersion }) => apiVersion === "velero.io/v1");
      expect(resources.filter(({ metadata }) => !`${metadata.name}-`.startsWith(`${name}-`))).toEqual([]);
    }
  });

  test("the tables of what is not compared are short", () => {
    expect(ignoredInBackups.length).toBeLessThanOrEqual(25);
    expect(ignoredInRestores.length).toBeLessThanOrEqual(25);
    expect(ignoredInScenarios.length).toBeLessThanOrEqual(25);
  });
});
