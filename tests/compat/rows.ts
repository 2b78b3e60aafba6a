import type { MeantDifference } from "../peers/differential/spec-file.ts";
import { type Area, areas } from "./areas.ts";
import type { DeclaredDifference, DeclaredGap, NamedTest } from "./declared-rows.ts";
import type { TestOutcome } from "./suite-report.ts";

export type Verdict = "equal" | "works" | "differs on purpose" | "failed";

/** One comparison, as the page shows it. */
export interface Row {
  /** What the row's sentence begins with, where rows share it. */
  readonly heading?: string;
  readonly what: string;
  readonly verdict: Verdict;
  /** Why it differs on purpose, and since which version of jibe. */
  readonly reason?: string;
  /** The data file or the test that backs it, from the repository's root. */
  readonly source: string;
}

export interface Section {
  readonly area: Area;
  readonly rows: readonly Row[];
}

/** A data file of a comparison, as far as the page needs it. */
export interface SpecCase {
  readonly name: string;
  readonly better?: readonly MeantDifference[];
}

/** By the folder of the data files. */
export type SpecCases = Readonly<Record<SpecFolder, readonly SpecCase[]>>;
type SpecFolder = "backup-specs" | "restore-specs" | "scenarios";

const specFolders: Readonly<Record<string, SpecFolder>> = {
  backups: "backup-specs",
  restores: "restore-specs",
  scenarios: "scenarios",
};

/** The areas with their rows. Each test is a row of the first area that takes it. */
export function sectionsOf(tests: readonly TestOutcome[], cases: SpecCases): readonly Section[] {
  const groups = Map.groupBy(
    tests.filter(({ status }) => status !== "skipped" && status !== "pending"),
    (test) => areas.find((area) => takes(area, test)),
  );
  return areas.map((area) => ({ area, rows: (groups.get(area) ?? []).map((test) => rowOf(test, area, cases)) }));
}

function takes({ files, heading, specs }: Area, test: TestOutcome): boolean {
  if (!files.test(test.file)) return false;
  if (heading && !test.headings.some((each) => heading.test(each))) return false;
  return !specs || specs.test(specNameOf(test));
}

/** Tests of data files are named `<file>: <what it is about>`. */
const specNameOf = ({ title }: TestOutcome) => title.split(":", 1)[0] ?? "";

function rowOf(test: TestOutcome, area: Area, cases: SpecCases): Row {
  const [, kind = ""] = /^tests\/peers\/differential\/([a-z]+)\./.exec(test.file) ?? [];
  const verdict = test.status === "passed" ? (area.shows ?? "equal") : "failed";
  const folder = specFolders[kind];
  if (!folder) {
    const heading = asUsersSay(test.headings.join(" "));
    return { ...(heading ? { heading } : {}), what: asUsersSay(test.title), verdict, source: test.file };
  }
  const name = specNameOf(test);
  const meant = cases[folder].find((each) => each.name === name)?.better ?? [];
  const source = `tests/peers/differential/${folder}/${name}.yaml`;
  const what = test.title.slice(name.length + 2);
  if (verdict === "failed" || meant.length === 0) return { what, verdict, source };
  return { what, verdict: "differs on purpose", reason: meant.map(reasonOf).join("; "), source };
}

const reasonOf = ({ reason, since }: MeantDifference) => `${reason} (since ${since})`;

/** Tests say "our" and "ours" for jibe's. */
const asUsersSay = (sentence: string) => sentence.replaceAll(/\bours?\b/g, "jibe's");

/** What keeps the page from being true: rows that fail, areas with too little behind them, tests that were not run. */
export function faultsOf(
  sections: readonly Section[],
  declared: readonly (DeclaredDifference | DeclaredGap)[],
  tests: readonly TestOutcome[],
): readonly string[] {
  // Also a test that is no row: where Velero itself does not do what a data file expects, comparing with it shows nothing.
  const failed = tests
    .filter(({ status }) => status === "failed")
    .map(({ file, headings, title }) => `${file}: "${[...headings, title].join(" ")}" failed`);
  const thin = sections
    .filter(({ rows }) => rows.length < leastRowsOfArea)
    .map(({ area, rows }) => `${area.title}: only ${rows.length} rows, at least ${leastRowsOfArea} are wanted`);
  const total = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const few = total < leastRows ? [`only ${total} rows, at least ${leastRows} are wanted`] : [];
  return [...failed, ...thin, ...few, ...declared.flatMap(({ test }) => faultOfNamed(test, tests))];
}

const leastRows = 80;
const leastRowsOfArea = 5;

function faultOfNamed({ file, title }: NamedTest, tests: readonly TestOutcome[]): readonly string[] {
  const wasRun = tests.some((test) => test.file === file && test.title === title && test.status !== "skipped");
  return wasRun ? [] : [`${file}: no test "${title}" was run`];
}
