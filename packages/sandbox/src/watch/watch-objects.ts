import { ApiError, invalid } from "../api/api-error.ts";
import type { ApiContext, Target } from "../api/context.ts";
import { numberIn, versionProblem } from "../api/list-objects.ts";
import { type Selector, selectorFrom } from "../api/selectors.ts";
import type { Shown } from "../http/object-form.ts";
import { forbidden as forbiddenValue, notSupported } from "../schema/field-error.ts";
import type { Entry } from "../storage/entry.ts";
import type { StoreEvent } from "../storage/event-log.ts";
import { EventLines } from "./event-lines.ts";

/** Where the events of a watch go. */
export interface WatchSink {
  write(chunk: Buffer): void;
  end(): void;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

const bookmarkIntervalMs = 60_000;
const defaultTimeoutSeconds = 1800;

/** Checks a watch request; the function it returns then streams events until the sink is closed or time is up. */
export function watchObjects(
  context: ApiContext,
  target: Target,
  { query, shown }: { readonly query: URLSearchParams; readonly shown: Shown },
): (sink: WatchSink) => void {
  const { store, clock } = context;
  const { type } = target;
  const selector = selectorFrom(context, type, query);
  const version = query.get("resourceVersion") ?? "";
  const sendsInitial = initialEventsWanted(query);
  const wantsBookmarks = query.get("allowWatchBookmarks") === "true" || query.get("allowWatchBookmarks") === "1";
  const from = version === "" || version === "0" ? undefined : watchVersion(version);
  const timeoutMs = (numberIn(query, "timeoutSeconds") ?? defaultTimeoutSeconds) * 1000;
  return (sink) => {
    const lines = new EventLines(context, shown);
    const isMine = scopeOf(target, selector);
    const send = (event: StoreEvent) => {
      const line = lineFor(event, isMine, lines);
      if (line) sink.write(line);
    };
    const startsWithState = sendsInitial || (from === undefined && sendsInitial !== false);
    if (startsWithState) {
      const entries = store.list(type.bucket, type.namespaced ? target.namespace : "");
      for (const entry of entries) if (isMine(entry)) sink.write(lines.of("ADDED", entry));
      if (sendsInitial && wantsBookmarks) sink.write(lines.bookmark(store.revision, true));
    } else if (from !== undefined) {
      const past = from > store.revision ? [] : store.eventsSince(type.bucket, from);
      if (!past) {
        sink.write(tooOld(from, store.compactedRevision));
        return sink.end();
      }
      for (const event of past) send(event);
    }
    const listening = store.listen((event) => {
      if (event.bucket === type.bucket && (from === undefined || event.revision > from)) send(event);
    });
    const stop = clock.after(timeoutMs, () => sink.end());
    const bookmarks = wantsBookmarks
      ? every(context, bookmarkIntervalMs, () => sink.write(lines.bookmark(store.revision, false)))
      : undefined;
    sink.signal.addEventListener("abort", () => {
      listening[Symbol.dispose]();
      stop[Symbol.dispose]();
      bookmarks?.[Symbol.dispose]();
    });
  };
}

function initialEventsWanted(query: URLSearchParams): boolean | undefined {
  const text = query.get("sendInitialEvents");
  if (text === null) return undefined;
  const match = query.get("resourceVersionMatch");
  const problems = [];
  if (match !== "NotOlderThan") {
    problems.push(
      forbiddenValue("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  }
  if (match !== null && match !== "NotOlderThan") {
    problems.push(notSupported("resourceVersionMatch", match, ["NotOlderThan"]));
  }
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", problems);
  return text === "true" || text === "1";
}

/** A watch that cannot begin is the server's failure in its own eyes. */
function watchVersion(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new ApiError(500, "", versionProblem(text));
  return Number(text);
}

const scopeOf =
  ({ type, namespace, name }: Target, selector: Selector) =>
  (entry: Entry) =>
    (!type.namespaced || namespace === "" || entry.namespace === namespace) &&
    (name === "" || entry.name === name) &&
    (selector?.(entry) ?? true);

/** What a watcher sees of a change: an object that starts or stops matching is added or deleted for it. */
function lineFor(
  { type, entry, previous }: StoreEvent,
  isMine: (entry: Entry) => boolean,
  lines: EventLines,
): Buffer | undefined {
  const wasMine = previous !== undefined && isMine(previous);
  if (type === "DELETED") return wasMine ? lines.of("DELETED", entry) : undefined;
  const isNow = isMine(entry);
  if (isNow) return lines.of(wasMine ? "MODIFIED" : "ADDED", entry);
  return wasMine && previous
    ? lines.of("DELETED", { ...previous, revision: entry.revision, bytes: atRevision(previous, entry.revision) })
    : undefined;
}

/** The old state at the revision that took it out of view. */
function atRevision(entry: Entry, revision: number): Buffer {
  return Buffer.from(
    entry.bytes.toString().replace(`"resourceVersion":"${entry.revision}"`, `"resourceVersion":"${revision}"`),
  );
}

function tooOld(from: number, compacted: number): Buffer {
  const { status } = new ApiError(410, "Expired", `too old resource version: ${from} (${compacted})`);
  return Buffer.from(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
}

function every({ clock }: ApiContext, ms: number, run: () => void): Disposable {
  let timer = clock.after(ms, tick);
  function tick() {
    run();
    timer = clock.after(ms, tick);
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
