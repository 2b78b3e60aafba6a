import { type IgnoredPath, ignoredInBackups, ignoredInRestores } from "../peers/differential/ignored-paths.ts";
import type { DeclaredDifference, DeclaredGap } from "./declared-rows.ts";
import type { Row, Section } from "./rows.ts";

export interface PageContent {
  readonly sections: readonly Section[];
  readonly differences: readonly DeclaredDifference[];
  readonly missing: readonly DeclaredGap[];
  /** The days on which the tests ran. */
  readonly dates: readonly string[];
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => "---").join("|")}|`,
  ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`),
  "",
];

const anchor = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");

/** docs/compatibility.md. */
export function compatibilityPage({ sections, differences, missing, dates }: PageContent): string {
  const total = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    "# Compatibility with Velero",
    "",
    `What jibe does as Velero 1.18.3 does, what it does otherwise on purpose, and what it lacks. \`npm run compat\` writes this page (${dates.join(", ")}): ${total} comparisons`,
    "with the real programs (kube-apiserver 1.36.3, Velero 1.18.3, plugins in Go, an S3 server). A row stands here because a test of it passed; a row that fails",
    "turns the command red. To add a comparison, put a file into [backup-specs](../tests/peers/differential/backup-specs) or",
    "[restore-specs](../tests/peers/differential/restore-specs); [Adding a case](../CONTRIBUTING.md#adding-a-case) says how.",
    "",
    ...summary(sections, { differences, missing }),
    ...sections.flatMap(sectionLines),
    ...differenceLines(differences),
    ...missingLines(missing),
    ...ignoredLines(),
  ].join("\n");
}

function summary(sections: readonly Section[], { differences, missing }: Pick<PageContent, "differences" | "missing">) {
  const count = (rows: readonly Row[], ...verdicts: readonly Row["verdict"][]) =>
    String(rows.filter((row) => verdicts.includes(row.verdict)).length);
  return [
    ...table(
      ["area", "equal, or works", "differs on purpose", "fails"],
      sections.map(({ area, rows }) => [
        `[${area.title}](#${anchor(area.title)})`,
        count(rows, "equal", "works"),
        count(rows, "differs on purpose"),
        count(rows, "failed"),
      ]),
    ),
    `Besides: [${differences.length} differences on purpose](#what-differs-on-purpose), [${missing.length} things that are missing](#what-is-missing), and [what is not compared](#what-is-not-compared).`,
    "",
  ];
}

function sectionLines({ area, rows }: Section): readonly string[] {
  const groups = Map.groupBy(rows, ({ heading }) => heading ?? "");
  return [
    `## ${area.title}`,
    "",
    area.about,
    "",
    ...[...groups].flatMap(([heading, group]) => [
      ...(heading ? [`**${capitalised(heading)}** …`, ""] : []),
      ...rowTable(group),
    ]),
  ];
}

function rowTable(rows: readonly Row[]): readonly string[] {
  return table(
    ["what", "result", "backed by"],
    rows.map(({ what, verdict, reason, source }) => [what, shownVerdict(verdict, reason), linkTo(source)]),
  );
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function shownVerdict(verdict: Row["verdict"], reason: string | undefined): string {
  if (verdict === "failed") return "**FAILS**";
  return reason ? `${verdict}: ${reason}` : verdict;
}

const linkTo = (path: string) =>
  `[${(path.split("/").at(-1) ?? path).replace(/(\.peers)?(\.test)?\.(ts|yaml)$/, "")}](../${path})`;

function differenceLines(differences: readonly DeclaredDifference[]): readonly string[] {
  return [
    "## What differs on purpose",
    "",
    "How the engine differs in more detail: [backups](engine/backup.md), [restores](engine/restore.md); for the daily work: [coming from Velero](guide/coming-from-velero.md).",
    "",
    ...table(
      ["about", "Velero", "jibe", "why", "since", "shown by"],
      differences.map(({ about, velero, jibe, why, since, test }) => [
        about,
        velero,
        jibe,
        why,
        since,
        linkTo(test.file),
      ]),
    ),
  ];
}

function missingLines(missing: readonly DeclaredGap[]): readonly string[] {
  return [
    "## What is missing",
    "",
    "Nothing of this is passed over in silence.",
    "",
    ...table(
      ["what", "what happens instead", "shown by"],
      missing.map(({ what, instead, test }) => [what, instead, linkTo(test.file)]),
    ),
  ];
}

function ignoredLines(): readonly string[] {
  const rows = (paths: readonly IgnoredPath[]) =>
    paths.map(({ file, path, reason }) => [`\`${file.source}\``, `\`${path.source}\``, reason]);
  return [
    "## What is not compared",
    "",
    "Two runs cannot agree on everything: times and identifiers are new each time. Patterns of files (or objects) and of the fields in them:",
    "",
    ...table(["in a backup", "field", "reason"], rows(ignoredInBackups)),
    ...table(["after a restore", "field", "reason"], rows(ignoredInRestores)),
  ];
}
