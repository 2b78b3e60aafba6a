import { type DataObject, type MeantDifference, readSpecs } from "./spec-file.ts";

/** What an object must look like, in the fields given. */
export type Part = Readonly<Record<string, unknown>>;

/** One thing that is done to a cluster and its running server, or waited for. Exactly one of the fields is given. */
export interface Step {
  /** Objects to create or change. Those of Velero are in the namespace `velero` unless they say otherwise. */
  readonly apply?: readonly DataObject[];
  /** Merge patches, by object: `schedules.velero.io/nightly`. */
  readonly patch?: Readonly<Record<string, Part>>;
  /** Objects to delete, without waiting for it. */
  readonly delete?: readonly string[];
  /**
   * Waits until what `kubectl get` finds with the words of the key, in the namespace `velero` unless they say otherwise, is
   * as given: one object, a list of them, or `gone`.
   */
  readonly until?: Readonly<Record<string, Part | readonly Part[] | "gone">>;
  /** Paths in the store to remove. */
  readonly unstore?: readonly string[];
  /** A command of the command line that belongs to the server; it must succeed. */
  readonly cli?: string;
  /** Lets hooks go on that wait for the file `$DIR/<name>`. */
  readonly signal?: string;
}

/** What a running server does with resources that come, change and go, step by step. */
export interface Scenario {
  /** The file's name without its ending. All names that the scenario uses begin with it. */
  readonly name: string;
  readonly about: string;
  readonly steps: readonly Step[];
  /** Where jibe does better on purpose. */
  readonly better?: readonly MeantDifference[];
}

export function readScenarios(): readonly Scenario[] {
  return readSpecs<Scenario>("scenarios", {});
}
