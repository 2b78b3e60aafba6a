import { hasCode, messageOf, type Scope } from "@jibe/base";
import { readGzippedJson } from "../layout/go-json.ts";
import { putJson } from "../layout/put-json.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { countMessages, mergeResults, type RunResults } from "./run-results.ts";

/** How many errors and warnings a run has, as its status says. */
export interface MessageCounts {
  readonly errors?: number;
  readonly warnings?: number;
}

export interface ResultsFile {
  readonly store: ObjectStore;
  readonly key: string;
  /** What the status says before. */
  readonly status: MessageCounts;
}

/**
 * Adds what a later step of a run found to its results file; gives what the status is to say now. The counts are those of the file, so that
 * a step which is done again after a crash neither counts twice nor forgets. Where the file never came to be, or is broken, a note in it
 * says what is missing, and the counts go on from the status.
 */
export async function addToResults(
  found: RunResults,
  { store, key, status }: ResultsFile,
  scope: Scope,
): Promise<Required<MessageCounts>> {
  const before = (await readResults(store, key, scope)) ?? resultsWithGap(status);
  const results = mergeResults(before, found);
  const [newErrors, newWarnings] = [countMessages(found.errors), countMessages(found.warnings)];
  if (newErrors + newWarnings > 0) await putJson(store, key, results, scope);
  if (!hasGap(results)) return { errors: countMessages(results.errors), warnings: countMessages(results.warnings) };
  const { errors = 0, warnings = 0 } = status;
  return { errors: errors + newErrors, warnings: warnings + newWarnings };
}

async function readResults(store: ObjectStore, key: string, scope: Scope): Promise<RunResults | undefined> {
  try {
    const read = (await readGzippedJson(store, key, scope)) as unknown as RunResults | undefined;
    return read && { errors: read.errors ?? {}, warnings: read.warnings ?? {} };
  } catch (error) {
    if (!hasCode(error, "DataLoss")) throw error;
    scope.log.warn("cannot read the results of a run, writing them anew", { key, error: messageOf(error) });
    return undefined;
  }
}

const gap = "The results of the run itself are lost";

function resultsWithGap({ errors = 0, warnings = 0 }: MessageCounts): RunResults {
  if (errors + warnings === 0) return { errors: {}, warnings: {} };
  const note = `${gap}; only its log has them (errors: ${errors}, warnings: ${warnings}).`;
  return { errors: { velero: [note] }, warnings: {} };
}

/** Whether results are known to lack some. */
export const hasGap = ({ errors }: RunResults): boolean =>
  errors.velero?.some((message) => message.startsWith(gap)) === true;
