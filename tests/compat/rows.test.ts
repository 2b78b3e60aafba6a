import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readScenarios } from "../peers/differential/scenario-file.ts";
import { readBackupSpecs, readRestoreSpecs } from "../peers/differential/spec-file.ts";
import { areas } from "./areas.ts";
import { compatibilityPage } from "./compatibility-page.ts";
import { differences, missing } from "./declared-rows.ts";
import { faultsOf, sectionsOf } from "./rows.ts";
import type { TestOutcome } from "./suite-report.ts";
import { suites } from "./suites.ts";

const root = join(import.meta.dirname, "../..");
const outcome = (title: string, more: Partial<TestOutcome> = {}): TestOutcome => ({
  file: "tests/peers/differential/backups.peers.test.ts",
  headings: ["jibe makes the same backup as real Velero"],
  title,
  status: "passed",
  ...more,
});
const noCases = { "backup-specs": [], "restore-specs": [], scenarios: [] };
const rowsIn = (title: string, tests: readonly TestOutcome[], cases: Parameters<typeof sectionsOf>[1] = noCases) =>
  sectionsOf(tests, cases).find(({ area }) => area.title === title)?.rows;

describe("a test becomes a row", () => {
  test("of the area that its data file's name belongs to, with a link to the file", () => {
    expect(rowsIn("Hooks", [outcome("hooks-by-spec: Hooks of the backup itself.")])).toEqual([
      {
        what: "Hooks of the backup itself.",
        verdict: "equal",
        source: "tests/peers/differential/backup-specs/hooks-by-spec.yaml",
      },
    ]);
  });

  test("of the last area of its file when no other takes it", () => {
    expect(rowsIn("What a backup takes", [outcome("brand-new: A new case.")])).toHaveLength(1);
  });

  test("that differs on purpose when the data file says so", () => {
    const better = [{ file: "x", path: "y", reason: "Velero warns", since: "0.1.0" }];
    const cases = { ...noCases, "backup-specs": [{ name: "one", better }] };
    const [row] = rowsIn("What a backup takes", [outcome("one: A case.")], cases) ?? [];
    expect(row).toMatchObject({ verdict: "differs on purpose", reason: "Velero warns (since 0.1.0)" });
  });

  test("only where jibe is compared, not where Velero alone is looked at", () => {
    const alone = outcome("one: A case.", { headings: ["real Velero makes the backup that the spec file expects"] });
    expect(sectionsOf([alone], noCases).flatMap(({ rows }) => rows)).toEqual([]);
  });
});

describe("the command turns red", () => {
  const row = { about: "", velero: "", jibe: "", why: "", since: "", test: { file: "a.test.ts", title: "one" } };
  const faults = (tests: readonly TestOutcome[]) => faultsOf(sectionsOf(tests, noCases), [row], tests).join("\n");

  test("when a row fails", () => {
    expect(faults([outcome("one: A case.", { status: "failed" })])).toContain('one: A case." failed');
  });

  test("when an area has too few rows", () => {
    expect(faults([outcome("one: A case.")])).toContain("What a backup takes: only 1 rows, at least 5 are wanted");
  });

  test("when the test behind a difference was not run, or failed", () => {
    const named = { file: "a.test.ts", headings: [] };
    expect(faults([])).toContain('a.test.ts: no test "one" was run');
    expect(faults([outcome("one", { ...named, status: "failed" })])).toContain('a.test.ts: "one" failed');
    expect(faults([outcome("one", named)])).not.toContain("a.test.ts");
  });
});

test("every difference that a data file declares says why and since when", () => {
  const declared = [...readBackupSpecs(), ...readRestoreSpecs(), ...readScenarios()].flatMap(
    ({ better = [] }) => better,
  );
  expect(declared.length).toBeGreaterThan(0);
  expect(declared.filter(({ reason, since }) => !reason || !/^\d+\.\d+\.\d+$/.test(since))).toEqual([]);
});

test("no two areas have one title", () => {
  const titles = areas.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test("test files join a suite by their place, and no suite is empty", () => {
  const named = suites.filter(({ files }) => files.length === 0).map(({ name }) => name);
  expect(named).toEqual([]);
  const run = suites.flatMap(({ files }) => files);
  expect(run).toContain("tests/peers/differential/backups.peers.test.ts");
  expect(run).toContain("examples/plugins/velero.peers.test.ts");
});

test("every suite and every declared row names files that exist", () => {
  const files = [
    ...suites.flatMap((suite) => suite.files),
    ...[...differences, ...missing].map((row) => row.test.file),
  ];
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("every declared row names a test by words that stand in its file", () => {
  const strange = [...differences, ...missing].filter(({ test: { file, title } }) => {
    // A title may be put together from a table's key and a template: then all its words are there, not the whole.
    const text = readFileSync(join(root, file), "utf8");
    return !text.includes(title) && !title.split(/:? (?=\S)/).every((word) => text.includes(word));
  });
  expect(strange.map((row) => row.test.title)).toEqual([]);
});

test("the page says first how much is equal, and links every row to what backs it", () => {
  const sections = sectionsOf([outcome("one: A case | with a bar.")], noCases);
  const page = compatibilityPage({ sections, differences, missing, dates: ["2026-01-01"] });
  expect(page).toContain("| [What a backup takes](#what-a-backup-takes) | 1 | 0 | 0 |");
  expect(page).toContain(
    "| A case \\| with a bar. | equal | [one](../tests/peers/differential/backup-specs/one.yaml) |",
  );
});
