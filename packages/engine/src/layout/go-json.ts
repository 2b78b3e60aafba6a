import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gunzip, gzip } from "node:zlib";
import { AppError, type Json, parseJson, type Scope } from "@jibe/base";
import type { ObjectStore } from "../ports/object-store.ts";

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON text as Go's encoder writes it: HTML characters and line separators escaped. Keys keep their order. */
export function goJson(value: unknown, { indent }: { readonly indent?: number } = {}): string {
  return JSON.stringify(value, undefined, indent).replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);
}

/** A copy with the keys in byte order, as Go writes maps. */
export function sortedByKey<T>(map: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareBytes(a, b)));
}

/** Orders texts by their UTF-8 bytes, as Go sorts strings. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const astral = /[\ud800-\udfff]/; // without surrogates, code units order as bytes do
  if (!astral.test(a) && !astral.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A time in whole seconds, as Kubernetes writes it: `2026-01-02T03:04:05Z`. */
export function kubernetesTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Content of a `.json.gz` side file: compact JSON and a newline, compressed. */
export async function gzippedJson(value: unknown): Promise<Uint8Array> {
  return compress(`${goJson(value)}\n`);
}

/** Compresses a text that comes in pieces; only the result is held whole. */
export async function gzippedText(pieces: Iterable<string>): Promise<Uint8Array> {
  const compressed: Uint8Array[] = [];
  await pipeline(Readable.from(inBatches(pieces)), createGzip(), async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) compressed.push(chunk);
  });
  return Buffer.concat(compressed);
}

const batchLength = 64 * 1024;

function* inBatches(pieces: Iterable<string>): Generator<string> {
  let batch = "";
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < batchLength) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}

/** Reads a `.json.gz` side file, or gives `undefined` when there is none. Damaged content fails with `DataLoss`. */
export async function readGzippedJson(store: ObjectStore, key: string, scope: Scope): Promise<Json | undefined> {
  if (!(await store.exists(key, scope))) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(key, scope)) chunks.push(chunk);
  try {
    return parseJson((await decompress(Buffer.concat(chunks))).toString("utf8")) as Json;
  } catch (cause) {
    throw new AppError("DataLoss", `cannot read ${JSON.stringify(key)}: not gzipped JSON`, { cause });
  }
}
