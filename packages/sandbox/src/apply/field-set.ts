import { setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { comparePathElements, type PathElement, parsePathElement } from "./path-element.ts";

export type FieldPath = readonly PathElement[];

/** A set of paths, kept as a tree. Operations give new sets; only `insert` changes one. */
export class FieldSet {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, FieldSet>;

  constructor(members: Iterable<PathElement> = [], children: Iterable<readonly [PathElement, FieldSet]> = []) {
    this.members = new Set(members);
    this.children = new Map();
    for (const [element, child] of children) if (!child.isEmpty) this.children.set(element, child);
  }

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  /** Adds a path; the empty path stands for the whole object, which nobody owns. */
  insert(path: FieldPath): void {
    const [element, ...rest] = path;
    if (element === undefined) return;
    if (rest.length === 0) {
      this.members.add(element);
      return;
    }
    const child = this.children.get(element) ?? new FieldSet();
    child.insert(rest);
    this.children.set(element, child);
  }

  has(element: PathElement): boolean {
    return this.members.has(element);
  }

  under(element: PathElement): FieldSet {
    return this.children.get(element) ?? new FieldSet();
  }

  union(other: FieldSet): FieldSet {
    const elements = new Set([...this.children.keys(), ...other.children.keys()]);
    return new FieldSet(
      [...this.members, ...other.members],
      [...elements].map((element) => [element, this.under(element).union(other.under(element))] as const),
    );
  }

  intersection(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.members].filter((element) => other.members.has(element)),
      [...this.children].map(([element, child]) => [element, child.intersection(other.under(element))] as const),
    );
  }

  /** Without the paths of the other set; what lies below them stays. */
  difference(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.members].filter((element) => !other.members.has(element)),
      [...this.children].map(([element, child]) => [element, child.difference(other.under(element))] as const),
    );
  }

  /** Without the paths of the other set and all that lies below them. */
  withoutSubtrees(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.members].filter((element) => !other.members.has(element)),
      [...this.children]
        .filter(([element]) => !other.members.has(element))
        .map(([element, child]) => [element, child.withoutSubtrees(other.under(element))] as const),
    );
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const element of this.#elements()) {
      if (this.members.has(element)) yield [...prefix, element];
      yield* this.under(element).paths([...prefix, element]);
    }
  }

  #elements(): PathElement[] {
    return [...new Set([...this.members, ...this.children.keys()])].sort(comparePathElements);
  }

  /** The wire form, `fieldsV1`. */
  toFieldsV1(): JsonObject {
    const fields: JsonObject = {};
    for (const element of this.#elements()) {
      const child = this.children.get(element);
      const below = child?.toFieldsV1() ?? {};
      setOwn(fields, element, child && this.members.has(element) ? { ".": {}, ...below } : below);
    }
    return fields;
  }

  /** Reads the wire form; undefined when it is not one. */
  static fromFieldsV1(fields: unknown): FieldSet | undefined {
    const set = new FieldSet();
    if (!isJsonObject(fields)) return undefined;
    for (const [key, below] of Object.entries(fields)) {
      if (key === ".") continue;
      const element = parsePathElement(key);
      const child = element === undefined ? undefined : FieldSet.fromFieldsV1(below);
      if (element === undefined || child === undefined || !isJsonObject(below)) return undefined;
      if (Object.keys(below).length === 0 || Object.hasOwn(below, ".")) set.members.add(element);
      if (!child.isEmpty) set.children.set(element, child);
    }
    return set;
  }
}
