import type { Scope } from "@jibe/base";
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
  const delivered = new DeliveredKeys();
  let restarts = 0;
  let next: Promise<SplitList> | undefined = fetchPage("", stopping.scope);
  while (next) {
    let page: SplitList;
    try {
      page = await next;
    } catch (error) {
      if (!isExpired(error)) throw error;
      const token = statusOf(error)?.continueToken ?? "";
      if (token === "" && (++restarts > maxRestarts || !delivered.areOrdered)) throw error;
      scope.log.debug("a list's continue token expired", { restarted: token === "" });
      next = fetchPage(token, stopping.scope);
      continue;
    }
    next = page.continueToken === "" ? undefined : fetchPage(page.continueToken, stopping.scope);
    next?.catch(() => {}); // seen when it is awaited; the caller may leave before that
    const items = restarts === 0 ? page.items : page.items.filter((item) => delivered.isBefore(item));
    if (next) delivered.add(items);
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

/**
 * What was delivered, told by its last key: servers page in the order of their keys. Whether this one does is checked as
 * the items pass; to remember every name would cost more than all the rest of reading a list.
 */
class DeliveredKeys {
  #namespace = "";
  #name = "";
  #areOrdered = true;

  get areOrdered(): boolean {
    return this.#areOrdered;
  }

  /** Whether an item comes after all that were delivered. */
  isBefore({ namespace, name }: RawItem): boolean {
    if (namespace === this.#namespace) return this.#name < name;
    return `${this.#namespace}/` < `${namespace}/`;
  }

  add(items: readonly RawItem[]): void {
    for (const item of items) {
      if (!this.isBefore(item)) this.#areOrdered = false;
      this.#namespace = item.namespace;
      this.#name = item.name;
    }
  }
}
