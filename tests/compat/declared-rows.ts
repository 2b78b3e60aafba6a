import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";

/** The test that shows what a row says. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** What jibe does otherwise than Velero, on purpose. */
export interface DeclaredDifference {
  readonly about: string;
  readonly velero: string;
  readonly jibe: string;
  readonly why: string;
  /** The version of jibe that has it first. */
  readonly since: string;
  readonly test: NamedTest;
}

/** What Velero has and jibe lacks. */
export interface DeclaredGap {
  readonly what: string;
  readonly instead: string;
  readonly test: NamedTest;
}

const read = (file: string): unknown => load(readFileSync(join(import.meta.dirname, file), "utf8"));

export const differences = read("differences.yaml") as readonly DeclaredDifference[];
export const missing = read("missing.yaml") as readonly DeclaredGap[];
