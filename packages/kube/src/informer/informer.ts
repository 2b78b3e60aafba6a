import { backoffMs, type Clock, messageOf, type Scope, systemClock } from "@jibe/base";
import type { KubeClient } from "../client.ts";
import type { Selection } from "../client-options.ts";
import { objectKey, type ResourceRef } from "../kube-object.ts";
import { isExpired } from "../status-error.ts";
import { type Named, ObjectStore } from "./object-store.ts";

export interface InformerOptions<T extends Named> extends Selection {
  readonly client: KubeClient;
  readonly type: ResourceRef<T>;
  /** How often every key is reported again, so that whatever was missed is made up for; never unless given. */
  readonly resyncMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What changed. The key is what to act on; the states are for those who map an object to another one's key. */
export interface ObjectChange<T> {
  readonly key: string;
  /** The state now; undefined when it is gone. */
  readonly object: T | undefined;
  readonly previous: T | undefined;
}

export type ChangeHandler<T> = (change: ObjectChange<T>) => void;

/** A copy of some objects of the cluster that keeps itself up to date. Objects in it are shared: do not change them. */
export interface Informer<T> extends AsyncDisposable {
  /** Whether everything that existed at the start is in. */
  readonly hasSynced: boolean;
  /** Resolves once `hasSynced`. */
  untilSynced(scope: Pick<Scope, "signal">): Promise<void>;
  /** By `namespace/name`, or `name` for what has no namespace. */
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Reports each change from now on, beginning with what is there. Disposing ends it. */
  subscribe(handler: ChangeHandler<T>): Disposable;
}

const backoff = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 200, maxDelayMs: 30_000 };
/** One page for all: a list whose pages show different states gives no version to watch from. */
const unpaged = 0;

/**
 * Starts to list and watch. Failures of the server are waited out, without end and with growing delays; what changed
 * meanwhile is found by comparing. Dispose it to stop.
 */
export function startInformer<T extends Named>(options: InformerOptions<T>, scope: Scope): Informer<T> {
  const stopping = new AbortController();
  const inner: Scope = { signal: AbortSignal.any([scope.signal, stopping.signal]), log: scope.log };
  const store = new ObjectStore<T>(scope.log);
  const { promise: synced, resolve: markSynced } = Promise.withResolvers<void>();
  let hasSynced = false;
  const onSynced = () => {
    hasSynced = true;
    markSynced();
  };
  const running = Promise.all([followChanges(options, store, onSynced, inner), resync(options, store, inner)]);
  return {
    get hasSynced() {
      return hasSynced;
    },
    untilSynced: ({ signal }) => untilEither(synced, AbortSignal.any([signal, inner.signal])),
    get: (key) => store.get(key),
    list: () => store.list(),
    subscribe: (handler) => store.subscribe(handler),
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error("the informer was stopped"));
      await running;
    },
  };
}

async function followChanges<T extends Named>(
  options: InformerOptions<T>,
  store: ObjectStore<T>,
  onSynced: () => void,
  scope: Scope,
): Promise<void> {
  const { client, type, clock = systemClock, ...rest } = options;
  const selection: Selection = rest;
  for (let attempt = 0; !scope.signal.aborted; attempt++) {
    try {
      const { items, resourceVersion } = await listAll(options, scope);
      store.replaceAll(items);
      onSynced();
      attempt = 0;
      for await (const { type: change, object } of client.watch(type, { ...selection, resourceVersion }, scope)) {
        if (change === "DELETED") store.remove(objectKey(object.metadata));
        else store.put(object);
      }
    } catch (error) {
      if (scope.signal.aborted) return;
      if (isExpired(error)) scope.log.debug("a watch fell behind; listing again", { resource: type.resource });
      else scope.log.warn("cannot follow a resource", { resource: type.resource, reason: messageOf(error) });
    }
    await clock.sleep(backoffMs(attempt, { ...backoff, clock }), scope).catch(() => {}); // stopped: the loop sees it
  }
}

async function listAll<T extends Named>({ client, type, ...selection }: InformerOptions<T>, scope: Scope) {
  const { namespace, labelSelector, fieldSelector } = selection;
  return client.list(type, { namespace, labelSelector, fieldSelector, limit: unpaged }, scope);
}

async function resync<T extends Named>(
  { resyncMs, clock = systemClock }: InformerOptions<T>,
  store: ObjectStore<T>,
  scope: Scope,
): Promise<void> {
  while (resyncMs !== undefined && !scope.signal.aborted) {
    await clock.sleep(resyncMs, scope).catch(() => {}); // stopped: the loop sees it
    if (!scope.signal.aborted) store.reportAll();
  }
}

function untilEither(done: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  void done.then(() => {
    signal.removeEventListener("abort", stop);
    resolve();
  });
  return promise;
}
