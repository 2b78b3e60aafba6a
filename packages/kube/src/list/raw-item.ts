import { parseJson } from "@jibe/base";
import type { KubeObject, ObjectMeta } from "../kube-object.ts";
import { isKey, scanObject, skipString, skipValue } from "./scan-json.ts";

/**
 * One object of a list, as the server wrote it. The fields are decoded when first asked for, so asking for none costs
 * nothing; they are getters, so copy what you need rather than spreading the item.
 */
export interface RawItem {
  /** The object's JSON, `kind` and `apiVersion` included, otherwise byte for byte as it came. */
  readonly bytes: Uint8Array;
  /** The same bytes in a row of parts, not put together: for those who only pass them on. */
  readonly parts: readonly Uint8Array[];
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for an object without namespace. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** All of the metadata, parsed. */
  readonly metadata: ObjectMeta;
  /** The whole object, parsed anew with each call; numbers that JavaScript cannot hold keep their text. */
  parse(): KubeObject;
}

/** What the items of a list are, where they do not say so themselves. */
export interface ItemType {
  readonly apiVersion: string;
  readonly kind: string;
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/** Reads the items of one page, one after the other. */
export class ItemScanner {
  readonly #page: Buffer;
  readonly #type: ItemType;
  readonly #typePrefix: Buffer;
  #places = new Places();

  constructor(page: Buffer, type: ItemType) {
    this.#page = page;
    this.#type = type;
    const { apiVersion, kind } = type;
    this.#typePrefix = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`);
  }

  /** The item that begins at `start`, and where it ends. */
  scan(start: number): { readonly item: RawItem; readonly end: number } {
    const places = new Places();
    this.#places = places;
    places.start = start;
    places.end = scanObject(this.#page, start, this.#visit);
    return { item: new ScannedItem(this.#page, places, this.#type, this.#typePrefix), end: places.end };
  }

  // made once a page, not once an item
  readonly #visit = (keyStart: number, keyEnd: number, at: number): number => {
    const page = this.#page;
    if (isKey(page, keyStart, keyEnd, "metadata")) {
      this.#places.metadata = at;
      return scanObject(page, at, this.#visitMetadata);
    }
    if (isKey(page, keyStart, keyEnd, "kind")) this.#places.kind = at;
    else if (isKey(page, keyStart, keyEnd, "apiVersion")) this.#places.apiVersion = at;
    return skipValue(page, at);
  };

  readonly #visitMetadata = (keyStart: number, keyEnd: number, at: number): number => {
    const page = this.#page;
    const places = this.#places;
    if (isKey(page, keyStart, keyEnd, "name")) places.name = at;
    else if (isKey(page, keyStart, keyEnd, "namespace")) places.namespace = at;
    else if (isKey(page, keyStart, keyEnd, "uid")) places.uid = at;
    else if (isKey(page, keyStart, keyEnd, "labels")) places.labels = at;
    else if (isKey(page, keyStart, keyEnd, "annotations")) places.annotations = at;
    else if (isKey(page, keyStart, keyEnd, "resourceVersion")) places.resourceVersion = at;
    else if (isKey(page, keyStart, keyEnd, "deletionTimestamp")) places.deletionTimestamp = at;
    return skipValue(page, at);
  };
}

/** Where in the page an item and its values begin; 0 means absent, since no item begins at a page's first byte. */
class Places {
  start = 0;
  end = 0;
  apiVersion = 0;
  kind = 0;
  metadata = 0;
  name = 0;
  namespace = 0;
  uid = 0;
  resourceVersion = 0;
  deletionTimestamp = 0;
  labels = 0;
  annotations = 0;
}

class ScannedItem implements RawItem {
  readonly #page: Buffer;
  readonly #places: Places;
  readonly #type: ItemType;
  readonly #typePrefix: Buffer;
  #bytes: Uint8Array | undefined;
  #name: string | undefined;
  #namespace: string | undefined;
  #labels: Readonly<Record<string, string>> | undefined;

  constructor(page: Buffer, places: Places, type: ItemType, typePrefix: Buffer) {
    this.#page = page;
    this.#places = places;
    this.#type = type;
    this.#typePrefix = typePrefix;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#joined();
    return this.#bytes;
  }

  /** Built-in types leave `kind` and `apiVersion` out of their lists; they go in front, where Go would sort them. */
  get parts(): readonly Uint8Array[] {
    const { start, end, kind, apiVersion, metadata } = this.#places;
    if (kind !== 0 && apiVersion !== 0) return [this.#page.subarray(start, end)];
    const prefix = kind === 0 && apiVersion === 0 && metadata !== 0 ? this.#typePrefix : this.#partialPrefix();
    return [prefix, this.#page.subarray(start + 1, end)];
  }

  get apiVersion(): string {
    return this.#text(this.#places.apiVersion) || this.#type.apiVersion;
  }

  get kind(): string {
    return this.#text(this.#places.kind) || this.#type.kind;
  }

  get name(): string {
    this.#name ??= this.#text(this.#places.name);
    return this.#name;
  }

  get namespace(): string {
    this.#namespace ??= this.#text(this.#places.namespace);
    return this.#namespace;
  }

  get uid(): string {
    return this.#text(this.#places.uid);
  }

  get resourceVersion(): string {
    return this.#text(this.#places.resourceVersion);
  }

  get deletionTimestamp(): string | undefined {
    return this.#text(this.#places.deletionTimestamp) || undefined;
  }

  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= this.#map(this.#places.labels);
    return this.#labels;
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#map(this.#places.annotations);
  }

  get metadata(): ObjectMeta {
    const value = this.#places.metadata === 0 ? undefined : parseJson(this.#json(this.#places.metadata));
    return (value ?? { name: "" }) as ObjectMeta;
  }

  parse(): KubeObject {
    const { bytes } = this;
    return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8")) as KubeObject;
  }

  #json(at: number): string {
    return this.#page.toString("utf8", at, skipValue(this.#page, at));
  }

  #text(at: number): string {
    const page = this.#page;
    if (at === 0 || page[at] !== 0x22) return "";
    const end = skipString(page, at);
    const text = page.toString("utf8", at + 1, end - 1);
    return text.includes("\\") ? JSON.parse(page.toString("utf8", at, end)) : text;
  }

  #map(at: number): Readonly<Record<string, string>> {
    return at === 0 ? noLabels : (JSON.parse(this.#json(at)) ?? noLabels);
  }

  #joined(): Uint8Array {
    const { parts } = this;
    const [whole] = parts;
    return parts.length === 1 && whole ? whole : Buffer.concat(parts);
  }

  #partialPrefix(): Buffer {
    const { start, end, kind, apiVersion } = this.#places;
    const parts = [
      ...(apiVersion === 0 ? [`"apiVersion":${JSON.stringify(this.#type.apiVersion)}`] : []),
      ...(kind === 0 ? [`"kind":${JSON.stringify(this.#type.kind)}`] : []),
    ];
    const isEmpty = this.#page.toString("latin1", start, end).replaceAll(/\s/g, "") === "{}";
    return Buffer.from(`{${parts.join(",")}${isEmpty ? "" : ","}`);
  }
}
