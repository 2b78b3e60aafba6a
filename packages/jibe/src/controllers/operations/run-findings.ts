import type { Clock, Scope } from "@jibe/base";
import { addToResults, formatLogLine, kubernetesTime, type MessageCounts, type ObjectStore } from "@jibe/engine";
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

/** Adds errors to the results file, the log and the ledger of a run, so that all of them agree with the count that this gives. */
export async function recordLateErrors(
  errors: readonly LateError[],
  {
    store,
    keys,
    clock,
    run,
    status,
  }: {
    readonly store: ObjectStore;
    readonly keys: FindingKeys;
    readonly clock: Clock;
    readonly run: Readonly<Record<string, string>>;
    readonly status: MessageCounts;
  },
  scope: Scope,
): Promise<number> {
  const found = { errors: asMessages(errors), warnings: {} };
  const counted = await addToResults(found, { store, key: keys.results, status }, scope);
  if (errors.length === 0) return counted.errors;
  const time = kubernetesTime(clock.now());
  const lines = errors.map(({ message, ...fields }) =>
    formatLogLine(
      { level: "error", message: "asynchronous operation failed", fields: { ...run, ...fields, error: message } },
      time,
      "text",
    ),
  );
  const entries = errors.map((error) => JSON.stringify({ level: "error", step: "operation", ...error }));
  await appendGzipped(store, keys.log, joined(lines), scope);
  await appendGzipped(store, keys.ledger, joined(entries), scope);
  return counted.errors;
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
