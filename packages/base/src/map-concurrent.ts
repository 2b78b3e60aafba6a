import type { Scope } from "./scope.ts";

/**
 * Runs `each` over the items, at most `limit` at once, and yields results as they come (in the items' order when
 * `ordered`). Pulls no further ahead than it may run. The first failure stops the rest and is thrown after all that had
 * started came to their end.
 */
export async function* mapConcurrent<In, Out>(
  items: Iterable<In> | AsyncIterable<In>,
  {
    limit,
    each,
    ordered = false,
  }: { readonly limit: number; readonly each: (item: In, scope: Scope) => Promise<Out>; readonly ordered?: boolean },
  scope: Scope,
): AsyncGenerator<Out> {
  const stopping = new AbortController();
  const inner: Scope = { ...scope, signal: AbortSignal.any([scope.signal, stopping.signal]) };
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const running = new Set<Promise<Settled<Out>>>();
  let ended = false;
  try {
    while (true) {
      while (!ended && running.size < limit) {
        scope.signal.throwIfAborted();
        const next = await source.next();
        if (next.done) {
          ended = true;
          break;
        }
        const task: Promise<Settled<Out>> = settle(each(next.value, inner)).then((result) => ({ ...result, task }));
        running.add(task);
      }
      const first = ordered ? running.values().next().value : undefined;
      const settled = await (first ?? (running.size > 0 ? Promise.race(running) : undefined));
      if (!settled) return;
      running.delete(settled.task);
      if (!settled.ok) throw settled.error;
      yield settled.value;
    }
  } finally {
    if (running.size > 0) stopping.abort(new Error("stopped because another item failed or the consumer left"));
    await Promise.all(running);
    if (!ended) await source.return?.(undefined);
  }
}

type Outcome<Out> = { readonly ok: true; readonly value: Out } | { readonly ok: false; readonly error: unknown };
type Settled<Out> = Outcome<Out> & { readonly task: Promise<Settled<Out>> };

function settle<Out>(work: Promise<Out>): Promise<Outcome<Out>> {
  return work.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  );
}

/** `mapConcurrent` for work without a result. */
export async function forEachConcurrent<In>(
  items: Iterable<In> | AsyncIterable<In>,
  options: { readonly limit: number; readonly each: (item: In, scope: Scope) => Promise<void> },
  scope: Scope,
): Promise<void> {
  for await (const _ of mapConcurrent(items, options, scope)) {
    // each result is empty; the loop only drives the work
  }
}
