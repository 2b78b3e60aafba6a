import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Import {
  /** As written in the source. */
  readonly specifier: string;
  /** `import type`: gone when the program runs. */
  readonly isTypeOnly: boolean;
  /** `import("…")`: loaded when it is needed. */
  readonly isLazy: boolean;
}

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments and string contents blanked, so that rules look at code alone. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** Every TypeScript file that people write: generated code and fixtures are left out. */
export function readSources(folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) => walk(join(root, folder))).map(readSource);
}

const skipped = new Set(["node_modules", "dist", "gen", "fixtures", "coverage"]);

function walk(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(path);
    return /\.ts$/.test(entry.name) ? [path] : [];
  });
}

function readSource(file: string): SourceFile {
  const text = readFileSync(file, "utf8");
  return { path: relative(root, file), text, code: codeOnly(text), imports: importsOf(text) };
}

const statement = /^(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?"([^"\n]+)"/gm;
const lazy = /\bimport\(\s*"([^"\n]+)"/g;

export function importsOf(text: string): readonly Import[] {
  const found: Import[] = [];
  for (const [, type, specifier = ""] of text.matchAll(statement)) {
    found.push({ specifier, isTypeOnly: type !== undefined, isLazy: false });
  }
  for (const [, specifier = ""] of text.matchAll(lazy)) found.push({ specifier, isTypeOnly: false, isLazy: true });
  return found;
}

const commentOrString =
  /\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;

/** Templates stay, as they hold code. All else becomes blanks of the same shape, so that line numbers stay true. */
export function codeOnly(text: string): string {
  return text.replace(commentOrString, (match) => {
    if (match.startsWith("`")) return match;
    return match.startsWith("/") ? blank(match) : `"${blank(match.slice(1, -1))}"`;
  });
}

const blank = (text: string) => text.replace(/[^\n]/g, " ");

/** Tests, what only tests use, and the contract suites that tests call. */
export const isTest = (path: string): boolean =>
  /\.test\.ts$/.test(path) || /(^|\/)(test|tests|contract|verify)\//.test(path) || /\/verify-[^/]+\.ts$/.test(path);

/** The file that a relative import names, from the root. */
export function resolveRelative(from: string, specifier: string): string {
  return relative(root, join(root, dirname(from), specifier));
}
