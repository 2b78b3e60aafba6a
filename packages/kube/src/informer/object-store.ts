import { type Logger, messageOf } from "@jibe/base";
import { objectKey } from "../kube-object.ts";
import type { ChangeHandler, ObjectChange } from "./informer.ts";

/** What the store must know of an object. */
export interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** The objects an informer holds, and who wants to hear about them. */
export class ObjectStore<T extends Named> {
  readonly #log: Logger;
  readonly #handlers = new Set<ChangeHandler<T>>();
  #objects = new Map<string, T>();

  constructor(log: Logger) {
    this.#log = log;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  put(object: T): void {
    const key = objectKey(object.metadata);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    const same = previous?.metadata.resourceVersion === object.metadata.resourceVersion;
    if (!previous || !same) this.#report({ key, object, previous });
  }

  remove(key: string): void {
    const previous = this.#objects.get(key);
    if (previous && this.#objects.delete(key)) this.#report({ key, object: undefined, previous });
  }

  /** Takes over a whole list: what differs is reported, what is not in it is removed. */
  replaceAll(items: readonly T[]): void {
    const keys = new Set(items.map(({ metadata }) => objectKey(metadata)));
    for (const key of [...this.#objects.keys()]) if (!keys.has(key)) this.remove(key);
    for (const item of items) this.put(item);
  }

  reportAll(): void {
    for (const [key, object] of this.#objects) this.#report({ key, object, previous: object });
  }

  subscribe(handler: ChangeHandler<T>): Disposable {
    this.#handlers.add(handler);
    for (const [key, object] of this.#objects) this.#call(handler, { key, object, previous: undefined });
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  #report(change: ObjectChange<T>): void {
    for (const handler of this.#handlers) this.#call(handler, change);
  }

  #call(handler: ChangeHandler<T>, change: ObjectChange<T>): void {
    try {
      handler(change);
    } catch (error) {
      // one handler's fault must not keep the others from hearing, nor stop the watch
      this.#log.error("a change handler failed", { key: change.key, reason: messageOf(error) });
    }
  }
}
