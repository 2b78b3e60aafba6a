import { compileGlob } from "../select/glob.ts";
import { isNamespacePattern } from "../select/namespace-pattern.ts";

/** What belongs to a namespace: an exact name wins over patterns, wherever it stands; of patterns the first that matches. */
export class NamespaceLookup<Value> {
  readonly #byName = new Map<string, Value>();
  readonly #byPattern: { readonly matches: (namespace: string) => boolean; readonly value: Value }[] = [];

  add(pattern: string, value: Value): void {
    this.#byName.set(pattern, value);
    const matches = isNamespacePattern(pattern) ? compileGlob(pattern) : undefined;
    if (matches) this.#byPattern.push({ matches, value });
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  find(namespace: string): Value | undefined {
    return this.#byName.get(namespace) ?? this.#byPattern.find(({ matches }) => matches(namespace))?.value;
  }
}
