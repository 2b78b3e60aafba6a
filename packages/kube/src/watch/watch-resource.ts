import { AppError, backoffMs, isRetriable, messageOf, parseJson, type Scope } from "@jibe/base";
import type { Selection } from "../client-options.ts";
import type { Transport } from "../http/transport.ts";
import type { KubeObject, ResourceRef } from "../kube-object.ts";
import { collectionPath, describeCall, withQuery } from "../resource-path.ts";
import { errorFromStatus, statusFromDocument } from "../status-error.ts";
import { readLines } from "./read-lines.ts";

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

export interface WatchEvent<T extends object = KubeObject> {
  readonly type: WatchEventType;
  /** With DELETED the last state; with BOOKMARK only a resource version. */
  readonly object: T;
}

export interface WatchOptions extends Selection {
  /** The state after which changes are wanted; without it the objects that exist come first, as ADDED. */
  readonly resourceVersion?: string | undefined;
  /** Delivers bookmarks too. They are used to resume in any case. */
  readonly bookmarks?: boolean | undefined;
  /** Silence after which the connection is taken for dead; bookmarks come about once a minute. */
  readonly idleTimeoutMs?: number | undefined;
}

const defaultIdleMs = 150_000;
/** A connection that lasted this long was a good one: the next begins without much delay. */
const settledMs = 5000;
const backoff = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 100, maxDelayMs: 30_000 };

/**
 * Changes as they happen. Lost, ended and silent connections are replaced, with growing delays, and go on where the last
 * one stopped. It ends by its scope or by an error that reconnecting cannot mend; most often `isExpired`: the resource
 * version is too old, so list again and watch from there.
 */
export async function* watchResource<T extends object = KubeObject>(
  transport: Transport,
  type: ResourceRef<T>,
  options: WatchOptions,
  scope: Scope,
): AsyncGenerator<WatchEvent<T>> {
  const { clock } = transport;
  let resourceVersion = options.resourceVersion ?? "";
  for (let attempt = 0; ; attempt++) {
    const openedMs = clock.monotonicMs();
    try {
      for await (const event of watchOnce(transport, type, { ...options, resourceVersion }, scope)) {
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        attempt = 0;
        if (event.type !== "BOOKMARK" || options.bookmarks) yield event as unknown as WatchEvent<T>;
      }
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!isRetriable(error)) throw error;
      scope.log.debug("a watch was interrupted", { resource: type.resource, reason: messageOf(error) });
    }
    if (clock.monotonicMs() - openedMs > settledMs) attempt = 0;
    await clock.sleep(backoffMs(attempt, { ...backoff, clock }), scope);
  }
}

/** One connection's worth of events. */
async function* watchOnce(
  transport: Transport,
  type: ResourceRef<object>,
  options: WatchOptions,
  scope: Scope,
): AsyncGenerator<WatchEvent> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, idleTimeoutMs = defaultIdleMs } = options;
  const what = () => describeCall("watch", type, { namespace });
  // the server ends it at a random time, so that a thousand clients do not come back at once
  const timeoutSeconds = Math.round(300 + 300 * Math.random());
  const query = { watch: true, allowWatchBookmarks: true, timeoutSeconds, resourceVersion };
  const path = withQuery(collectionPath(type, namespace), { ...query, labelSelector, fieldSelector });
  using idle = idleWatch(transport, idleTimeoutMs, what);
  const signal = AbortSignal.any([scope.signal, idle.signal]);
  const call = { method: "GET", path, kind: "watch", idempotent: true, what } as const;
  const response = await transport.open(call, { signal, log: scope.log });
  for await (const line of readLines(idle.noting(response.body))) yield eventFrom(line, what);
}

function eventFrom(line: string, what: () => string): WatchEvent {
  const document = parse(line, what);
  if (document["type"] === "ERROR") {
    throw errorFromStatus(what(), statusFromDocument(500, document["object"] as Record<string, unknown>));
  }
  return document as unknown as WatchEvent;
}

function parse(line: string, what: () => string): Record<string, unknown> {
  try {
    return parseJson(line) as Record<string, unknown>;
  } catch (cause) {
    throw new AppError("Unavailable", `${what()}: the server sent something that is not an event`, { cause });
  }
}

/** Notices when nothing comes any more, as after a network has gone without a word. */
function idleWatch({ clock }: Transport, ms: number, what: () => string) {
  const silence = new AbortController();
  const arm = () =>
    clock.after(ms, () => silence.abort(new AppError("Unavailable", `${what()}: nothing came for ${ms} ms`)));
  let timer = arm();
  return {
    signal: silence.signal,
    async *noting(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        timer[Symbol.dispose]();
        timer = arm();
        yield chunk;
      }
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
