import { setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { comparePathElements, type PathElement, parsePathElement } from "./path-element.ts";

export type FieldPath = readonly PathElement[];

/** A set of paths, kept as a tree. Operations leave their operands alone and may return one; only `insert` changes a set. */
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
    const last = path.at(-1);
    if (last === undefined) return;
    let set: FieldSet = this;
    for (const element of path.slice(0, -1)) {
      let child = set.children.get(element);
      if (child === undefined) {
        child = new FieldSet();
        set.children.set(element, child);
      }
      set = child;
    }
    set.members.add(last);
  }

  has(element: PathElement): boolean {
    return this.members.has(element);
  }

  under(element: PathElement): FieldSet {
    return this.children.get(element) ?? new FieldSet();
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const elements = new Set([...this.children.keys(), ...other.children.keys()]);
    return new FieldSet(
      [...this.members, ...other.members],
      [...elements].map((element) => [element, this.under(element).union(other.under(element))] as const),
    );
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return new FieldSet();
    return new FieldSet(
      [...this.members].filter((element) => other.members.has(element)),
      [...this.children].map(([element, child]) => [element, child.intersection(other.under(element))] as const),
    );
  }

  /** Without the paths of the other set; what lies below them stays. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
    return new FieldSet(
      [...this.members].filter((element) => !other.members.has(element)),
      [...this.children].map(([element, child]) => [element, child.difference(other.under(element))] as const),
    );
  }

  /** Without the paths of the other set and all that lies below them. */
  withoutSubtrees(other: FieldSet): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
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

  /** All paths, in the order in which the API server names conflicts: members of a level before what lies below. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const element of [...this.members].sort(comparePathElements)) yield [...prefix, element];
    for (const element of [...this.children.keys()].sort(comparePathElements)) {
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
