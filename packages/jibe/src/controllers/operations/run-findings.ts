import type { Clock, Scope } from "@jibe/base";
import {
  countMessages,
  formatLogLine,
  gzippedJson,
  kubernetesTime,
  mergeResults,
  type ObjectStore,
  type RunResults,
  readGzippedJson,
} from "@jibe/engine";
import { appendGzipped } from "../append-gzipped.ts";

/** An error met after a run's own files were written. */
export interface LateError {
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly plugin: string;
  readonly message: string;
}

export interface FindingKeys {
  readonly results: string;
  readonly log: string;
  readonly ledger: string;
}

/**
 * Adds errors to the results file, the log and the ledger of a run, so that all of them agree with its status. Gives how many errors
 * the results have now; nothing when there is no such file. Adding what was added before, by a server that ended then, counts once.
 */
export async function recordLateErrors(
  errors: readonly LateError[],
  {
    store,
    keys,
    clock,
    run,
  }: {
    readonly store: ObjectStore;
    readonly keys: FindingKeys;
    readonly clock: Clock;
    readonly run: Readonly<Record<string, string>>;
  },
  scope: Scope,
): Promise<number | undefined> {
  const before = (await readGzippedJson(store, keys.results, scope)) as RunResults | undefined;
  if (errors.length === 0) return before && countMessages(before.errors);
  const time = kubernetesTime(clock.now());
  const lines = errors.map(({ message, ...fields }) =>
    formatLogLine(
      { level: "error", message: "asynchronous operation failed", fields: { ...run, ...fields, error: message } },
      time,
      "text",
    ),
  );
  const entries = errors.map((error) => JSON.stringify({ level: "error", step: "operation", ...error }));
  const empty: RunResults = { errors: {}, warnings: {} };
  const results = mergeResults(before ?? empty, { errors: asMessages(errors), warnings: {} });
  const content = await gzippedJson(results);
  await store.put(keys.results, () => once(content), scope);
  await appendGzipped(store, keys.log, joined(lines), scope);
  await appendGzipped(store, keys.ledger, joined(entries), scope);
  return before && countMessages(results.errors);
}

const joined = (lines: readonly string[]) => lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`)).join("");

function asMessages(errors: readonly LateError[]) {
  const text = ({ resource, name, message }: LateError) =>
    ` resource: /${resource} name: /${name} message: /asynchronous operation failed error: /${message}`;
  const cluster = errors.filter(({ namespace }) => namespace === "").map(text);
  const namespaces = Object.fromEntries(
    [
      ...Map.groupBy(
        errors.filter(({ namespace }) => namespace !== ""),
        ({ namespace }) => namespace,
      ),
    ].map(([namespace, own]) => [namespace, own.map(text)]),
  );
  return {
    ...(cluster.length > 0 ? { cluster } : {}),
    ...(Object.keys(namespaces).length > 0 ? { namespaces } : {}),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
