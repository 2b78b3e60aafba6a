import { AppError } from "@jibe/base";

// A scanner for JSON that the server wrote: it finds where values begin and end and does not check what is in between.
// It works on bytes because decoding and parsing a page costs several times as much as stepping over it.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
// `{` and `[` differ by one bit only, `}` and `]` likewise: with that bit set one comparison finds both.
const caseBit = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** Beyond this length the native search is faster than stepping. */
const steppedBytes = 48;

export function unreadable(at: number): AppError {
  return new AppError("DataLoss", `the server's answer is not the JSON it should be (at byte ${at})`);
}

/** The position after white space. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
  return at;
}

/** The position after the string that begins at `from`. */
export function skipString(bytes: Buffer, from: number): number {
  let at = from + 1;
  const stepEnd = Math.min(at + steppedBytes, bytes.length);
  while (at < stepEnd) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return skipLongString(bytes, at);
}

function skipLongString(bytes: Buffer, from: number): number {
  let at = from;
  while (true) {
    const end = bytes.indexOf(quote, at);
    if (end < 0) throw unreadable(from);
    let escapes = 0;
    while (end - escapes > from && bytes[end - escapes - 1] === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

/** The position after the value that begins at `from`. */
export function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from] ?? 0;
  if (first === quote) return skipString(bytes, from);
  return (first | caseBit) === openBrace ? skipNested(bytes, from) : skipWord(bytes, from);
}

function skipNested(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let depth = 0;
  let at = from;
  while (at < length) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      at = skipString(bytes, at);
      continue;
    }
    at++;
    const bracket = byte | caseBit;
    if (bracket === openBrace) depth++;
    else if (bracket === closeBrace && --depth === 0) return at;
  }
  throw unreadable(from);
}

function skipWord(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === comma || (byte | caseBit) === closeBrace || byte <= 0x20) return at;
    at++;
  }
  return at;
}

/**
 * Steps through the members of the object at `from`. `visit` gets the key's bounds (without quotes) and where the value
 * begins, and returns where it ends. Returns the position after the object; a `null` in its place has no members.
 */
export function scanObject(
  bytes: Buffer,
  from: number,
  visit: (keyStart: number, keyEnd: number, valueStart: number) => number,
): number {
  if (bytes[from] !== openBrace) return skipValue(bytes, from);
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] === quote) {
    const keyEnd = skipString(bytes, at);
    const colonAt = skipSpace(bytes, keyEnd);
    if (bytes[colonAt] !== colon) throw unreadable(colonAt);
    const valueEnd = visit(at + 1, keyEnd - 1, skipSpace(bytes, colonAt + 1));
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  if (bytes[at] !== closeBrace) throw unreadable(at);
  return at + 1;
}

/** Calls `visit` with where each element of the array at `from` begins; it returns where the element ends. */
export function scanArray(bytes: Buffer, from: number, visit: (valueStart: number) => number): number {
  if (bytes[from] !== 0x5b) return skipValue(bytes, from);
  let at = skipSpace(bytes, from + 1);
  while (at < bytes.length && bytes[at] !== 0x5d) {
    at = skipSpace(bytes, visit(at));
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  if (at >= bytes.length) throw unreadable(at);
  return at + 1;
}

/** Whether the bytes between two positions spell the key. */
export function isKey(bytes: Buffer, start: number, end: number, key: string): boolean {
  if (end - start !== key.length) return false;
  for (let index = 0; index < key.length; index++) {
    if (bytes[start + index] !== key.charCodeAt(index)) return false;
  }
  return true;
}
