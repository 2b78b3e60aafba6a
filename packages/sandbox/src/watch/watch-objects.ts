import { ApiError, invalid } from "../api/api-error.ts";
import type { ApiContext, Target } from "../api/context.ts";
import { numberIn, versionProblem } from "../api/list-objects.ts";
import { type Selector, selectorFrom } from "../api/selectors.ts";
import type { Shown } from "../http/object-form.ts";
import { forbidden as forbiddenValue, notSupported } from "../schema/field-error.ts";
import { spanOf } from "../storage/byte-arena.ts";
import { Entry } from "../storage/entry.ts";
import type { StoreEvent } from "../storage/event-log.ts";
import { EventLines } from "./event-lines.ts";
import { LineBatch, type WatchSink } from "./line-batch.ts";

const bookmarkIntervalMs = 60_000;
const defaultTimeoutSeconds = 1800;

/** What a watch request asks for, checked. */
interface Wanted {
  readonly target: Target;
  readonly shown: Shown;
  readonly isMine: (entry: Entry) => boolean;
  /** The version to go on from; undefined starts with what is there. */
  readonly from: number | undefined;
  readonly sendsInitial: boolean | undefined;
  readonly wantsBookmarks: boolean;
  readonly timeoutMs: number;
  /** Watches with the same key see the same lines. */
  readonly key: string;
}

/** Checks a watch request; the function it returns then streams events until the sink is closed or time is up. */
export function watchObjects(
  context: ApiContext,
  target: Target,
  { query, shown }: { readonly query: URLSearchParams; readonly shown: Shown },
): (sink: WatchSink) => void {
  const { type, namespace, name } = target;
  const version = query.get("resourceVersion") ?? "";
  const bookmarks = query.get("allowWatchBookmarks");
  const wanted: Wanted = {
    target,
    shown,
    isMine: scopeOf(target, selectorFrom(context, type, query)),
    from: version === "" || version === "0" ? undefined : watchVersion(version),
    sendsInitial: initialEventsWanted(query),
    wantsBookmarks: bookmarks === "true" || bookmarks === "1",
    timeoutMs: (numberIn(query, "timeoutSeconds") ?? defaultTimeoutSeconds) * 1000,
    key: JSON.stringify([
      [type.bucket, type.version, shown.form, shown.includeObject, context.registry.generation],
      [namespace, name, query.get("labelSelector"), query.get("fieldSelector")],
    ]),
  };
  return (sink) => {
    const lines = new EventLines(context, shown);
    if (sendPast(context, wanted, lines, sink)) follow(context, wanted, lines, sink);
    else sink.end();
  };
}

/** Sends what a watch starts with; false when that is no longer known. */
function sendPast({ store }: ApiContext, wanted: Wanted, lines: EventLines, sink: WatchSink): boolean {
  const { target, isMine, from, sendsInitial, wantsBookmarks } = wanted;
  const { type, namespace } = target;
  const batch = new LineBatch(sink);
  if (sendsInitial || (from === undefined && sendsInitial !== false)) {
    const entries = store.list(type.bucket, type.namespaced ? namespace : "");
    for (const entry of entries) if (isMine(entry)) batch.add(lines.of("ADDED", entry));
    if (sendsInitial && wantsBookmarks) batch.add(lines.bookmark(store.revision, true));
  } else if (from !== undefined) {
    const past = from > store.revision ? [] : store.eventsSince(type.bucket, from);
    if (!past) {
      sink.write(tooOld(from, store.compactedRevision));
      return false;
    }
    for (const event of past) batch.add(lineFor(event, isMine, lines));
  }
  batch.flush();
  return true;
}

function follow(context: ApiContext, wanted: Wanted, lines: EventLines, sink: WatchSink): void {
  const { store, clock, audiences } = context;
  const { target, isMine, from = 0, wantsBookmarks, timeoutMs, key } = wanted;
  const { bucket } = target.type;
  const after = Math.max(from, store.revision);
  const seat = audiences.join(sink, {
    key: `${key} ${after > store.revision ? after : "now"}`,
    listen: (add) =>
      store.listen((event) => {
        if (event.bucket === bucket && event.revision > after) add(lineFor(event, isMine, lines));
      }),
  });
  const stop = clock.after(timeoutMs, () => {
    seat.flush();
    sink.end();
  });
  const bookmark = () => {
    seat.flush();
    sink.write(lines.bookmark(store.revision, false));
  };
  const bookmarks = wantsBookmarks ? every(context, bookmarkIntervalMs, bookmark) : undefined;
  sink.signal.addEventListener("abort", () => {
    seat[Symbol.dispose]();
    stop[Symbol.dispose]();
    bookmarks?.[Symbol.dispose]();
  });
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
  return wasMine && previous ? lines.of("DELETED", atRevision(previous, entry.revision)) : undefined;
}

/** The old state at the revision that took it out of view. */
function atRevision({ key, labels, revision: old, bytes }: Entry, revision: number): Entry {
  const text = bytes.toString().replace(`"resourceVersion":"${old}"`, `"resourceVersion":"${revision}"`);
  return new Entry({ key, labels, revision }, spanOf(Buffer.from(text)));
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
