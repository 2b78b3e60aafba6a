import { sortedByKey } from "../layout/go-json.ts";

/** Messages by where they belong. Empty members are left out of the file. */
export interface ResultMessages {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

/** Content of a results file, in the order of its keys. */
export interface RunResults {
  readonly errors: ResultMessages;
  readonly warnings: ResultMessages;
}

/** Collects messages: without namespace they belong to the run, with an empty one to the cluster. */
export class MessageCollector {
  readonly #velero: string[] = [];
  readonly #cluster: string[] = [];
  readonly #namespaces = new Map<string, string[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(namespace: string | undefined, message: string): void {
    this.#count++;
    if (namespace === undefined) this.#velero.push(message);
    else if (namespace === "") this.#cluster.push(message);
    else {
      const messages = this.#namespaces.get(namespace);
      if (messages) messages.push(message);
      else this.#namespaces.set(namespace, [message]);
    }
  }

  messages(): ResultMessages {
    return {
      ...(this.#velero.length > 0 ? { velero: this.#velero } : {}),
      ...(this.#cluster.length > 0 ? { cluster: this.#cluster } : {}),
      ...(this.#namespaces.size > 0 ? { namespaces: sortedByKey(Object.fromEntries(this.#namespaces)) } : {}),
    };
  }
}

/**
 * Adds what a later step found to what the run found. A step that is run again after a crash finds the same again: what is there already
 * is not added a second time.
 */
export function mergeResults(first: RunResults, second: RunResults): RunResults {
  return {
    errors: mergeMessages(first.errors, second.errors),
    warnings: mergeMessages(first.warnings, second.warnings),
  };
}

/** How many messages there are, which is what the status counts. */
export function countMessages(messages: ResultMessages): number {
  return [...entriesOf(messages)].length;
}

function mergeMessages(first: ResultMessages, second: ResultMessages): ResultMessages {
  const all = new MessageCollector();
  const known: string[] = [];
  for (const [namespace, message] of entriesOf(first)) {
    all.add(namespace, message);
    known.push(JSON.stringify([namespace, message]));
  }
  const left = Map.groupBy(known, (key) => key);
  for (const [namespace, message] of entriesOf(second)) {
    if (!left.get(JSON.stringify([namespace, message]))?.pop()) all.add(namespace, message);
  }
  return all.messages();
}

function* entriesOf({
  velero = [],
  cluster = [],
  namespaces = {},
}: ResultMessages): Generator<readonly [namespace: string | undefined, message: string]> {
  for (const message of velero) yield [undefined, message];
  for (const message of cluster) yield ["", message];
  for (const [namespace, messages] of Object.entries(namespaces)) {
    for (const message of messages) yield [namespace, message];
  }
}
