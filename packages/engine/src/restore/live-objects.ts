import type { Scope } from "@jibe/base";
import { bodyFromBytes, type ItemBody } from "../item/item-body.ts";
import { type Cluster, groupResourceOf, type ListedItem, type ResourceType } from "../ports/cluster.ts";

/** `absent`: not there when the list was made. `unknown`: the lists do not tell. */
export type Listed = ItemBody | "absent" | "unknown";

const pageSize = 100;
/** A page that answers fewer questions than this costs more than it saves. */
const leastAnswers = 10;
/** Lists that are kept open; a restore goes through types and namespaces one after the other. */
const maxLists = 16;

/**
 * Looks up objects in lists instead of one by one. A restore asks for names in the order in which the API server lists them, so that one
 * page after the other answers, and no more than two pages of a list are held.
 */
export class LiveObjects implements AsyncDisposable {
  readonly #cluster: Pick<Cluster, "listPages">;
  readonly #lists = new Map<string, LiveList>();

  constructor(cluster: Pick<Cluster, "listPages">) {
    this.#cluster = cluster;
  }

  async find(type: ResourceType, { namespace, name }: { namespace: string; name: string }, scope: Scope) {
    const key = `${groupResourceOf(type)}/${type.version}/${namespace}`;
    const list = this.#lists.get(key) ?? new LiveList(this.#pages(type, namespace, scope));
    this.#lists.delete(key); // to come last: the one that was not asked for longest is the first to go
    this.#lists.set(key, list);
    const [oldest] = this.#lists;
    if (oldest && this.#lists.size > maxLists) {
      this.#lists.delete(oldest[0]);
      await oldest[1].close();
    }
    const listed = await list.find(name);
    scope.signal.throwIfAborted();
    return listed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#lists.values()].map((list) => list.close()));
    this.#lists.clear();
  }

  #pages(type: ResourceType, namespace: string, scope: Scope): AsyncIterator<readonly ListedItem[]> {
    const options = { limit: pageSize, ...(namespace === "" ? {} : { namespace }) };
    return this.#cluster.listPages(type, options, scope)[Symbol.asyncIterator]();
  }
}

interface Page {
  readonly first: string;
  readonly last: string;
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/** One list, walked through forwards. */
class LiveList {
  readonly #pages: AsyncIterator<readonly ListedItem[]>;
  #current: Page | undefined;
  #previous: Page | undefined;
  #isComplete = false;
  #isAbandoned = false;
  #answers = leastAnswers;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(pages: AsyncIterator<readonly ListedItem[]>) {
    this.#pages = pages;
  }

  find(name: string): Promise<Listed> {
    const found = this.#turn.then(() => this.#find(name));
    this.#turn = found;
    return found;
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#abandon();
  }

  async #find(name: string): Promise<Listed> {
    while (!this.#isAbandoned && !this.#isComplete && (!this.#current || name > this.#current.last)) await this.#next();
    if (this.#isAbandoned) return "unknown";
    this.#answers++;
    const bytes = this.#current?.bytes.get(name) ?? this.#previous?.bytes.get(name);
    if (bytes) return bodyFromBytes(bytes);
    return name < (this.#previous?.first ?? "") ? "unknown" : "absent";
  }

  async #next(): Promise<void> {
    if (this.#answers < leastAnswers) return this.#abandon();
    try {
      const { done, value } = await this.#pages.next();
      if (done) this.#isComplete = true;
      else if (value.length > 0) this.#take(value);
    } catch {
      // No list, no answers: whoever asked looks for the object itself and meets the failure there.
      await this.#abandon();
    }
  }

  #take(items: readonly ListedItem[]): void {
    this.#previous = this.#current;
    const bytes = new Map(items.map((item) => [item.name, item.bytes]));
    this.#current = { first: items[0]?.name ?? "", last: items.at(-1)?.name ?? "", bytes };
    this.#answers = 0;
  }

  async #abandon(): Promise<void> {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    this.#current = undefined;
    this.#previous = undefined;
    await this.#pages.return?.().catch(() => {}); // nobody waits for its end
  }
}
