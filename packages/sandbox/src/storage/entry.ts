import { parseJson } from "@jibe/base";
import type { KubeObject } from "../api/kube-object.ts";
import { type ByteArena, type Span, spanOf } from "./byte-arena.ts";

/** What is known of a version of an object without reading its bytes. */
export interface EntryHead {
  readonly key: string;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/**
 * One version of an object. The bytes are its JSON without the opening brace, `kind` and `apiVersion`, so that
 * single answers, lists and watch events are put together from them without encoding anything again.
 */
export class Entry implements EntryHead {
  readonly key: string;
  readonly revision: number;
  readonly labels: EntryHead["labels"];
  readonly #slab: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor({ key, revision, labels }: EntryHead, { slab, start, end }: Span) {
    this.key = key;
    this.revision = revision;
    this.labels = labels;
    this.#slab = slab;
    this.#start = start;
    this.#end = end;
  }

  // Both are in the key already; tens of thousands of entries need not keep them twice.
  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf("/")));
  }

  get name(): string {
    return this.key.slice(this.key.indexOf("/") + 1);
  }

  get bytes(): Buffer {
    return this.#slab.subarray(this.#start, this.#end);
  }
}

export const keyOf = (namespace: string, name: string) => (namespace === "" ? name : `${namespace}/${name}`);

/** The JSON of an object without `kind` and `apiVersion`. Its metadata comes first, as from Kubernetes. */
const membersText = ({ apiVersion: _apiVersion, kind: _kind, metadata, ...members }: KubeObject) =>
  JSON.stringify({ metadata, ...members });

/** The JSON of an object without its opening brace, `kind` and `apiVersion`. */
export const memberBytes = (object: KubeObject): Buffer => Buffer.from(membersText(object)).subarray(1);

/** Encodes an object at a revision. The object's own `resourceVersion` is set to it. */
export function entryFrom(object: KubeObject, revision: number, arena?: ByteArena): Entry {
  const { metadata } = object;
  metadata.resourceVersion = String(revision);
  const text = membersText(object);
  const { slab, start, end } = arena?.encode(text) ?? spanOf(Buffer.from(text));
  const key = keyOf(metadata.namespace ?? "", metadata.name ?? "");
  return new Entry({ key, revision, labels: metadata.labels }, { slab, start: start + 1, end });
}

/** A fresh parsed copy, without `kind` and `apiVersion`. */
export function objectOf(entry: Entry): KubeObject {
  return parseJson(`{${entry.bytes.toString()}`) as KubeObject;
}
