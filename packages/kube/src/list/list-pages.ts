import type { Scope } from "@jibe/base";
import { objectKey } from "../kube-object.ts";
import { isExpired, statusOf } from "../status-error.ts";
import type { RawItem } from "./raw-item.ts";
import type { SplitList } from "./split-list.ts";

/** Some items of a list. */
export interface ListPage {
  readonly items: readonly RawItem[];
  /** The state of the cluster that the page shows: where a watch may begin. */
  readonly resourceVersion: string;
  /** How many items follow, if the server told. */
  readonly remaining?: number;
}

/** Reads one page: the first, or that of a continue token. */
export type FetchPage = (continueToken: string, scope: Scope) => Promise<SplitList>;

const maxRestarts = 3;

/**
 * The pages of a list, the next one already under way while the caller works on one. A token that became too old is
 * replaced by the one the server then offers (the pages that follow show a newer state); if it offers none, the list
 * begins again and leaves out what was delivered. So no item comes twice.
 */
export async function* listPages(fetchPage: FetchPage, scope: Scope): AsyncGenerator<ListPage> {
  using stopping = stoppable(scope);
  const seen = new Set<string>();
  let restarts = 0;
  let next: Promise<SplitList> | undefined = fetchPage("", stopping.scope);
  while (next) {
    let page: SplitList;
    try {
      page = await next;
    } catch (error) {
      if (!isExpired(error) || restarts >= maxRestarts) throw error;
      const token = statusOf(error)?.continueToken ?? "";
      if (token === "") restarts++;
      scope.log.debug("a list's continue token expired", { restarted: token === "" });
      next = fetchPage(token, stopping.scope);
      continue;
    }
    next = page.continueToken === "" ? undefined : fetchPage(page.continueToken, stopping.scope);
    next?.catch(() => {}); // seen when it is awaited; the caller may leave before that
    const items = restarts === 0 ? page.items : page.items.filter((item) => !seen.has(objectKey(item)));
    if (next) for (const item of items) seen.add(objectKey(item));
    const { resourceVersion, remaining } = page;
    yield { items, resourceVersion, ...(remaining === undefined ? {} : { remaining }) };
  }
}

/** A scope that also ends when the reader leaves. */
function stoppable(scope: Scope): { readonly scope: Scope } & Disposable {
  const leaving = new AbortController();
  const signal = AbortSignal.any([scope.signal, leaving.signal]);
  return {
    scope: { signal, log: scope.log },
    [Symbol.dispose]: () => leaving.abort(new Error("the reader of the list has left")),
  };
}
