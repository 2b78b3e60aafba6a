/** Size of a tar header and the unit entries are padded to. */
export const tarBlockSize = 512;

/** What a header says about the entry that follows it. */
export interface TarHeader {
  readonly path: string;
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

const maxName = 100;
const maxPrefix = 155;
const encoder = new TextEncoder();

// Velero makes an entry's directory with the entry's own mode when it extracts: without x it could not enter it.
const itemMode = "0000755";

/**
 * Makes the header blocks of regular files, as Go's archive/tar writes them: USTAR, long paths split into prefix and name, and a PAX record
 * before the header when the path does not fit or is not ASCII. Headers are made by the hundred thousand: an answer is valid only until the
 * next one is made.
 */
export class TarHeaders {
  readonly #block = new Uint8Array(tarBlockSize);

  encode(header: TarHeader): Uint8Array {
    const { path, size, mtime } = header;
    const split = splitUstarPath(path);
    if (!split) return paxHeader(header);
    writeUstar(this.#block, { ...split, size, mtime, type: "0" });
    return this.#block;
  }
}

function paxHeader({ path, size, mtime }: TarHeader): Uint8Array {
  const record = encoder.encode(paxRecord("path", path));
  const ascii = asciiOnly(path);
  const slash = ascii.lastIndexOf("/");
  const paxName = `${ascii.slice(0, slash + 1)}PaxHeaders.0/${ascii.slice(slash + 1)}`;
  const blocks = new Uint8Array(tarBlockSize * 2 + padded(record.length));
  const ownAt = tarBlockSize + padded(record.length);
  const pax = { name: paxName.slice(0, maxName), prefix: "", size: record.length, mtime: 0, type: "x" } as const;
  writeUstar(blocks.subarray(0, tarBlockSize), pax);
  blocks.set(record, tarBlockSize);
  writeUstar(blocks.subarray(ownAt), { name: ascii.slice(0, maxName), prefix: "", size, mtime, type: "0" });
  return blocks;
}

/** A length rounded up to whole blocks. */
export function padded(length: number): number {
  return Math.ceil(length / tarBlockSize) * tarBlockSize;
}

function splitUstarPath(path: string): { readonly name: string; readonly prefix: string } | undefined {
  if (!isAscii(path)) return undefined;
  if (path.length <= maxName) return { name: path, prefix: "" };
  const slash = path.lastIndexOf("/", maxPrefix);
  const name = path.slice(slash + 1);
  if (slash <= 0 || name === "" || name.length > maxName) return undefined;
  return { name, prefix: path.slice(0, slash) };
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0 || code > 0x7f) return false;
  }
  return true;
}

function asciiOnly(text: string): string {
  return [...text].filter((char) => isAscii(char)).join("");
}

/** The length at the front counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const restLength = encoder.encode(rest).length;
  let length = restLength;
  while (length !== restLength + String(length).length) length = restLength + String(length).length;
  return `${length}${rest}`;
}

interface UstarFields {
  readonly name: string;
  readonly prefix: string;
  readonly size: number;
  readonly mtime: number;
  readonly type: "0" | "x";
}

/** What every header has, with the checksum field as blanks, as the sum counts it. */
const emptyHeader = (() => {
  const block = Buffer.alloc(tarBlockSize);
  block.write("0000000\x000000000\0", 108, "latin1"); // owner
  block.write("        ", 148, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  block.write("0000000\x000000000\0", 329, "latin1"); // device
  return block;
})();
const emptySum = emptyHeader.reduce((sum, byte) => sum + byte, 0);

/** Writes one header over all of `block`. */
function writeUstar(block: Uint8Array, { name, prefix, size, mtime, type }: UstarFields): void {
  block.set(emptyHeader);
  const sum =
    emptySum +
    writeAscii(block, 0, name) +
    writeAscii(block, 100, type === "x" ? "0000000" : itemMode) +
    writeOctal(block, 124, 11, size) +
    writeOctal(block, 136, 11, mtime) +
    writeAscii(block, 156, type) +
    writeAscii(block, 345, prefix);
  writeOctal(block, 148, 6, sum);
  block[154] = 0;
}

/** Both give the sum of the bytes they wrote. */
function writeAscii(block: Uint8Array, at: number, text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    block[at + index] = code;
    sum += code;
  }
  return sum;
}

function writeOctal(block: Uint8Array, at: number, digits: number, value: number): number {
  let sum = 0;
  let left = value;
  for (let index = digits - 1; index >= 0; index--) {
    const digit = left % 8;
    left = (left - digit) / 8;
    block[at + index] = 48 + digit;
    sum += 48 + digit;
  }
  return sum;
}
