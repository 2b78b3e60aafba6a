import { AppError } from "@jibe/base";

/** Where an item's bytes lie in the spilled file. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
}

export interface IndexKey {
  readonly groupResource: string;
  /** Version directory; empty for the unversioned copies. */
  readonly dir: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Finds items by name, in some 100 bytes an item. It is filled in the archive's order, closed once, and sorted from then on. A versioned
 * copy with the bytes of its unversioned one costs no entry of its own.
 */
export class ArchiveIndex {
  readonly #types = new Map<string, TypeIndex>();
  #count = 0;

  /** Unversioned items. */
  get count(): number {
    return this.#count;
  }

  add({ groupResource, dir, namespace, name }: IndexKey, extent: Extent): void {
    if (dir === "") this.#count++;
    this.#type(groupResource).shelf(dir, namespace).add(name, extent);
  }

  /** Says that the unversioned item added last also stands under a version directory. */
  mirrorLast({ groupResource, dir, namespace }: IndexKey): void {
    const type = this.#type(groupResource);
    type.shelf("", namespace).mirrorLast(type.dirNumber(dir));
  }

  /** Sorts, and refuses an archive in which a path occurs twice. */
  close(): void {
    for (const [groupResource, type] of this.#types) type.close(groupResource);
  }

  groupResources(): string[] {
    return [...this.#types.keys()].sort();
  }

  dirs(groupResource: string): string[] {
    return [...(this.#types.get(groupResource)?.dirs ?? [])].sort();
  }

  namespaces(groupResource: string, dir: string): string[] {
    return this.#types.get(groupResource)?.namespaces(dir) ?? [];
  }

  names(groupResource: string, dir: string, namespace: string): readonly string[] {
    return this.#types.get(groupResource)?.names(dir, namespace) ?? [];
  }

  find({ groupResource, dir, namespace, name }: IndexKey): Extent | undefined {
    return this.#types.get(groupResource)?.find(dir, namespace, name);
  }

  #type(groupResource: string): TypeIndex {
    return getOrAdd(this.#types, groupResource, () => new TypeIndex());
  }
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

class TypeIndex {
  readonly dirs: string[] = [];
  readonly #shelves = new Map<string, Map<string, Shelf>>();

  shelf(dir: string, namespace: string): Shelf {
    if (dir !== "") this.dirNumber(dir);
    const shelves = getOrAdd(this.#shelves, dir, () => new Map<string, Shelf>());
    return getOrAdd(shelves, namespace, () => new Shelf());
  }

  /** From 1. */
  dirNumber(dir: string): number {
    const known = this.dirs.indexOf(dir);
    return known >= 0 ? known + 1 : this.dirs.push(dir);
  }

  close(groupResource: string): void {
    for (const shelves of this.#shelves.values()) for (const shelf of shelves.values()) shelf.sort();
    for (const [dir, shelves] of this.#shelves) {
      for (const [namespace, shelf] of shelves) {
        const twice = shelf.duplicate() ?? (dir === "" ? undefined : this.#mirroredToo(dir, namespace, shelf));
        if (twice === undefined) continue;
        const path = [groupResource, dir, namespace, twice].filter((part) => part !== "").join("/");
        throw new AppError("InvalidArgument", `archive has the entry ${JSON.stringify(path)} twice`);
      }
    }
  }

  namespaces(dir: string): string[] {
    const own = [...(this.#shelves.get(dir)?.keys() ?? [])];
    if (dir === "") return own.sort();
    const plain = [...(this.#shelves.get("") ?? [])].filter(([, shelf]) => shelf.names(this.dirNumber(dir)).length > 0);
    return [...new Set([...own, ...plain.map(([namespace]) => namespace)])].sort();
  }

  names(dir: string, namespace: string): readonly string[] {
    const own = this.#shelves.get(dir)?.get(namespace)?.names() ?? [];
    if (dir === "") return own;
    const mirrored = this.#shelves.get("")?.get(namespace)?.names(this.dirNumber(dir)) ?? [];
    return own.length === 0 ? mirrored : [...own, ...mirrored].sort();
  }

  find(dir: string, namespace: string, name: string): Extent | undefined {
    const own = this.#shelves.get(dir)?.get(namespace)?.find(name);
    if (own || dir === "" || !this.dirs.includes(dir)) return own;
    return this.#shelves.get("")?.get(namespace)?.find(name, this.dirNumber(dir));
  }

  #mirroredToo(dir: string, namespace: string, shelf: Shelf): string | undefined {
    const plain = this.#shelves.get("")?.get(namespace);
    return shelf.names().find((name) => plain?.find(name, this.dirNumber(dir)));
  }
}

/** The items of one type in one namespace. */
class Shelf {
  #names: string[] = [];
  #extents: number[] = [];
  #mirrors: number[] = [];

  add(name: string, { offset, length }: Extent): void {
    this.#names.push(Buffer.from(name).toString()); // a copy, which does not keep the whole path alive
    this.#extents.push(offset, length);
    this.#mirrors.push(0);
  }

  mirrorLast(dirNumber: number): void {
    this.#mirrors[this.#mirrors.length - 1] = dirNumber;
  }

  sort(): void {
    const names = this.#names;
    const sorted = names.every((name, index) => index === 0 || (names[index - 1] ?? "") <= name);
    if (sorted) return;
    const order = names.map((_, index) => index).sort((a, b) => ((names[a] ?? "") < (names[b] ?? "") ? -1 : 1));
    this.#names = order.map((index) => names[index] ?? "");
    this.#extents = order.flatMap((index) => [this.#extents[index * 2] ?? 0, this.#extents[index * 2 + 1] ?? 0]);
    this.#mirrors = order.map((index) => this.#mirrors[index] ?? 0);
  }

  duplicate(): string | undefined {
    return this.#names.find((name, index) => index > 0 && this.#names[index - 1] === name);
  }

  names(mirror?: number): readonly string[] {
    return mirror === undefined ? this.#names : this.#names.filter((_, index) => this.#mirrors[index] === mirror);
  }

  find(name: string, mirror?: number): Extent | undefined {
    let low = 0;
    let high = this.#names.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const candidate = this.#names[middle] ?? "";
      if (candidate === name) {
        if (mirror !== undefined && this.#mirrors[middle] !== mirror) return undefined;
        return { offset: this.#extents[middle * 2] ?? 0, length: this.#extents[middle * 2 + 1] ?? 0 };
      }
      if (candidate < name) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}
