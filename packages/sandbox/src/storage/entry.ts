import { parseJson } from "@jibe/base";
import type { KubeObject } from "../api/kube-object.ts";
import type { ByteArena } from "./byte-arena.ts";

/**
 * One version of an object. The bytes are its JSON without the opening brace, `kind` and `apiVersion`, so that
 * single answers, lists and watch events are put together from them without encoding anything again.
 */
export interface Entry {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly bytes: Buffer;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

export const keyOf = (namespace: string, name: string) => (namespace === "" ? name : `${namespace}/${name}`);

/** The JSON of an object without its opening brace, `kind` and `apiVersion`. */
export function memberBytes(
  { apiVersion: _apiVersion, kind: _kind, ...members }: KubeObject,
  arena: Pick<ByteArena, "encode"> = { encode: Buffer.from },
): Buffer {
  return arena.encode(JSON.stringify(members)).subarray(1);
}

/** Encodes an object at a revision. The object's own `resourceVersion` is set to it. */
export function entryFrom(object: KubeObject, revision: number, arena?: ByteArena): Entry {
  const { metadata } = object;
  metadata.resourceVersion = String(revision);
  const namespace = metadata.namespace ?? "";
  const name = metadata.name ?? "";
  return {
    key: keyOf(namespace, name),
    namespace,
    name,
    revision,
    bytes: memberBytes(object, arena),
    labels: metadata.labels,
  };
}

/** A fresh parsed copy, without `kind` and `apiVersion`. */
export function objectOf(entry: Entry): KubeObject {
  return parseJson(`{${entry.bytes.toString()}`) as KubeObject;
}
