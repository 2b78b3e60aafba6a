import { parseJson } from "@jibe/base";
import type { KubeObject, ObjectMeta } from "../kube-object.ts";
import { isKey, scanObject, skipValue } from "./scan-json.ts";

/**
 * One object of a list, as the server wrote it. The fields are decoded when first asked for, so asking for none costs
 * nothing; they are getters, so copy what you need rather than spreading the item.
 */
export interface RawItem {
  /** The object's JSON, `kind` and `apiVersion` included, otherwise byte for byte as it came. */
  readonly bytes: Uint8Array;
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

/** Reads the object that begins at `start` of a page. */
export function scanItem(page: Buffer, start: number, type: ItemType): { item: RawItem; end: number } {
  const item = new ScannedItem(page, start, type);
  return { item, end: item.end };
}

class ScannedItem implements RawItem {
  readonly end: number;
  readonly #page: Buffer;
  readonly #start: number;
  readonly #type: ItemType;
  // where a value begins; 0 means absent, since no value can begin at the first byte of a page
  #apiVersionAt = 0;
  #kindAt = 0;
  #metadataAt = 0;
  #nameAt = 0;
  #namespaceAt = 0;
  #uidAt = 0;
  #resourceVersionAt = 0;
  #deletionTimestampAt = 0;
  #labelsAt = 0;
  #annotationsAt = 0;
  #bytes: Uint8Array | undefined;
  #name: string | undefined;
  #namespace: string | undefined;
  #labels: Readonly<Record<string, string>> | undefined;

  constructor(page: Buffer, start: number, type: ItemType) {
    this.#page = page;
    this.#start = start;
    this.#type = type;
    this.end = scanObject(page, start, this.#visit);
  }

  readonly #visit = (keyStart: number, keyEnd: number, at: number): number => {
    const page = this.#page;
    if (isKey(page, keyStart, keyEnd, "metadata")) {
      this.#metadataAt = at;
      return scanObject(page, at, this.#visitMetadata);
    }
    if (isKey(page, keyStart, keyEnd, "kind")) this.#kindAt = at;
    else if (isKey(page, keyStart, keyEnd, "apiVersion")) this.#apiVersionAt = at;
    return skipValue(page, at);
  };

  readonly #visitMetadata = (keyStart: number, keyEnd: number, at: number): number => {
    const page = this.#page;
    if (isKey(page, keyStart, keyEnd, "name")) this.#nameAt = at;
    else if (isKey(page, keyStart, keyEnd, "namespace")) this.#namespaceAt = at;
    else if (isKey(page, keyStart, keyEnd, "uid")) this.#uidAt = at;
    else if (isKey(page, keyStart, keyEnd, "labels")) this.#labelsAt = at;
    else if (isKey(page, keyStart, keyEnd, "annotations")) this.#annotationsAt = at;
    else if (isKey(page, keyStart, keyEnd, "resourceVersion")) this.#resourceVersionAt = at;
    else if (isKey(page, keyStart, keyEnd, "deletionTimestamp")) this.#deletionTimestampAt = at;
    return skipValue(page, at);
  };

  get bytes(): Uint8Array {
    this.#bytes ??= this.#withType();
    return this.#bytes;
  }

  get apiVersion(): string {
    return this.#text(this.#apiVersionAt) || this.#type.apiVersion;
  }

  get kind(): string {
    return this.#text(this.#kindAt) || this.#type.kind;
  }

  get name(): string {
    this.#name ??= this.#text(this.#nameAt);
    return this.#name;
  }

  get namespace(): string {
    this.#namespace ??= this.#text(this.#namespaceAt);
    return this.#namespace;
  }

  get uid(): string {
    return this.#text(this.#uidAt);
  }

  get resourceVersion(): string {
    return this.#text(this.#resourceVersionAt);
  }

  get deletionTimestamp(): string | undefined {
    return this.#text(this.#deletionTimestampAt) || undefined;
  }

  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= this.#map(this.#labelsAt);
    return this.#labels;
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#map(this.#annotationsAt);
  }

  get metadata(): ObjectMeta {
    const value = this.#metadataAt === 0 ? undefined : parseJson(this.#json(this.#metadataAt));
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
    if (at === 0) return "";
    const json = this.#json(at);
    if (json.charCodeAt(0) !== 0x22) return "";
    return json.includes("\\") ? JSON.parse(json) : json.slice(1, -1);
  }

  #map(at: number): Readonly<Record<string, string>> {
    return at === 0 ? noLabels : (JSON.parse(this.#json(at)) ?? noLabels);
  }

  /** Built-in types leave `kind` and `apiVersion` out of their lists; they go in front, where Go would sort them. */
  #withType(): Uint8Array {
    const own = this.#page.subarray(this.#start, this.end);
    if (this.#kindAt !== 0 && this.#apiVersionAt !== 0) return own;
    const parts = [
      this.#apiVersionAt === 0 ? `"apiVersion":${JSON.stringify(this.#type.apiVersion)}` : "",
      this.#kindAt === 0 ? `"kind":${JSON.stringify(this.#type.kind)}` : "",
    ].filter(Boolean);
    const isEmpty = this.#metadataAt === 0 && /^\{\s*\}$/.test(own.toString("latin1", 0, 64));
    const prefix = `{${parts.join(",")}${isEmpty ? "" : ","}`;
    const joined = Buffer.allocUnsafe(prefix.length + own.length - 1);
    joined.write(prefix, 0, "latin1");
    own.copy(joined, prefix.length, 1);
    return joined;
  }
}
