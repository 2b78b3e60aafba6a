import type { LogLine, Scope } from "@jibe/base";
import { createGzipLines } from "../gzip/gzip-lines.ts";
import type { Scratch, ScratchFile } from "../ports/scratch.ts";
import { fieldText } from "../run-log/log-format.ts";
import { MessageCollector, type RunResults } from "./run-results.ts";

/** What became of an item. `stored` is a backup's, the next three a restore's; the last two are common. */
export type ItemOutcome = "stored" | "created" | "updated" | "unchanged" | "skipped" | "failed";

/** The line of one item. Every item of a run gets exactly one. */
export interface ItemRecord {
  /** Plural with group: `deployments.apps`. */
  readonly resource: string;
  /** Empty for cluster-scoped items. */
  readonly namespace: string;
  readonly name: string;
  readonly outcome: ItemOutcome;
  /** Why it was skipped. */
  readonly reason?: string;
  /** Where it failed: `list`, `hook`, `action`, `additional item`, `snapshot`, `archive`, … */
  readonly step?: string;
  /** The plugin that failed or decided. */
  readonly plugin?: string;
  /** The error behind a failure. */
  readonly cause?: string;
}

/** A warning or error. It counts in status and results; it may or may not be about an item. */
export interface Finding {
  /** Absent: the run as a whole; empty: a cluster-scoped item. */
  readonly namespace?: string;
  readonly resource?: string;
  readonly name?: string;
  /** The text in the results file. */
  readonly message: string;
  readonly plugin?: string;
}

/**
 * The one account of a run, streamed to a gzipped scratch file of JSON lines. Counts, results file and ledger file come from
 * the same calls and therefore agree.
 */
export interface Ledger extends AsyncDisposable {
  item(record: ItemRecord): void;
  warning(finding: Finding): void;
  error(finding: Finding): void;
  /** Takes a line of the run's log as a finding, as Velero does for backups. Lines below warning are ignored. */
  countLogLine(line: LogLine): void;
  /** Set while too many lines wait to be written: whoever writes one per item waits for it. */
  room(): Promise<void> | undefined;
  readonly warnings: number;
  readonly errors: number;
  results(): RunResults;
  /** Completes the file and gives it, ready for upload. */
  finish(): Promise<ScratchFile>;
}

export async function createLedger({ scratch }: { readonly scratch: Scratch }, scope: Scope): Promise<Ledger> {
  const file = await scratch.create("ledger", scope);
  const lines = createGzipLines(file, { ...scope, signal: new AbortController().signal }); // a stopped run keeps its ledger
  const warnings = new MessageCollector();
  const errors = new MessageCollector();
  const find = (level: "warning" | "error", finding: Finding) => {
    (level === "error" ? errors : warnings).add(finding.namespace, finding.message);
    lines.write(JSON.stringify({ level, ...finding }));
  };
  return {
    item: (record) => lines.write(JSON.stringify(record)),
    warning: (finding) => find("warning", finding),
    error: (finding) => find("error", finding),
    countLogLine(line) {
      if (line.level === "warn") find("warning", findingFromLogLine(line));
      else if (line.level === "error") find("error", findingFromLogLine(line));
    },
    room: () => lines.room(),
    get warnings() {
      return warnings.count;
    },
    get errors() {
      return errors.count;
    },
    results: () => ({ errors: errors.messages(), warnings: warnings.messages() }),
    finish: () => lines.finish(),
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}

/** What Velero's results file says of a log line: ` resource: /pods name: /web message: /text error: /cause`. */
export function findingFromLogLine({ message, fields }: LogLine): Finding {
  const { namespace, resource, name, error, pluginName, plugin } = fields;
  const by = plugin ?? pluginName;
  let text = "";
  if (resource !== undefined) text += ` resource: /${fieldText(resource)}`;
  if (name !== undefined) text += ` name: /${fieldText(name)}`;
  text += ` message: /${message}`;
  if (error !== undefined) text += ` error: /${fieldText(error)}`;
  return {
    ...(namespace === undefined ? {} : { namespace: fieldText(namespace) }),
    ...(resource === undefined ? {} : { resource: fieldText(resource) }),
    ...(name === undefined ? {} : { name: fieldText(name) }),
    message: text,
    ...(by === undefined ? {} : { plugin: fieldText(by) }),
  };
}
