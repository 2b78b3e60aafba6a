import { cloneJson } from "@jibe/base";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences } from "./differences.ts";
import { expectOutcome } from "./expectations.ts";
import { describeIgnored, ignoredInRestores, withMeant } from "./ignored-paths.ts";
import { normalised } from "./normalise.ts";
import { makeBackups, type RestoreOutcome, type RestoreOutcomes, restoreIn, runRestores } from "./run-restores.ts";
import { runJibe, runVelero } from "./servers.ts";
import { readRestoreSpecs } from "./spec-file.ts";

// JIBE_SPECS=plain,mapping runs only those.
const chosen = process.env["JIBE_SPECS"]?.split(",");
const specs = readRestoreSpecs().filter(({ name }) => !chosen || chosen.includes(name));
const scope = testScope();
let dir: TempDir;
let velero: RestoreOutcomes;
let jibe: RestoreOutcomes;

beforeAll(async () => {
  dir = await tempDir("restores");
  const source = await makeBackups({ specs, server: runVelero, dir: dir.path }, scope);
  [velero, jibe] = await Promise.all([
    runRestores({ specs, server: runVelero, source }, scope),
    runRestores({ specs, server: runJibe, source }, scope),
  ]);
}, 1_800_000);

afterAll(async () => {
  scope[Symbol.dispose]();
  await dir?.[Symbol.asyncDispose]();
});

describe("real Velero restores what the spec file expects", () => {
  for (const spec of specs) {
    test(`${spec.name}: ${spec.about}`, () => {
      const { restore, files, contents } = restoreIn(velero, spec.name);
      expectOutcome({ object: restore, files, names: new Set(contents.keys()) }, spec.expect);
    });
  }
});

describe("jibe restores the same as real Velero", () => {
  for (const spec of specs) {
    test(`${spec.name}: ${spec.about}`, () => {
      const [theirs, ours] = [restoreIn(velero, spec.name), restoreIn(jibe, spec.name)];
      const asFiles = ({ restore, files, contents }: RestoreOutcome) =>
        normalised(new Map([...files, ...contents, ["Restore", restore]]));
      expect(differences(asFiles(theirs), asFiles(ours), withMeant(ignoredInRestores, spec.better))).toEqual([]);
    });
  }
});

describe("the comparison", () => {
  test("finds nothing in a restore that is compared with itself, and one changed field of one object", () => {
    const restored = specs.flatMap(({ name }) => [...restoreIn(jibe, name).contents]);
    const files = normalised(new Map(restored));
    expect(differences(files, files, ignoredInRestores)).toEqual([]);
    const path = [...files.keys()].find((key) => key.startsWith("configmaps/"));
    if (path === undefined) throw new Error("none of the specs restores a ConfigMap");
    const object = cloneJson(files.get(path)) as { data: Record<string, string> };
    const changed = new Map(files).set(path, { ...object, data: { ...object.data, changed: "x" } });
    expect(differences(files, changed, ignoredInRestores)).toEqual([`${path} data.changed: nothing ≠ "x"`]);
  });

  test("ignores little, and says what", () => {
    expect(ignoredInRestores.length).toBeLessThanOrEqual(25);
    process.stdout.write(describeIgnored(ignoredInRestores));
  });
});
