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

/** Appends one set of results to another, such as what finalizing found to what the run found. */
export function mergeResults(first: RunResults, second: RunResults): RunResults {
  return {
    errors: mergeMessages(first.errors, second.errors),
    warnings: mergeMessages(first.warnings, second.warnings),
  };
}

function mergeMessages(first: ResultMessages, second: ResultMessages): ResultMessages {
  const all = new MessageCollector();
  for (const part of [first, second]) {
    for (const message of part.velero ?? []) all.add(undefined, message);
    for (const message of part.cluster ?? []) all.add("", message);
    for (const [namespace, messages] of Object.entries(part.namespaces ?? {})) {
      for (const message of messages) all.add(namespace, message);
    }
  }
  return all.messages();
}
