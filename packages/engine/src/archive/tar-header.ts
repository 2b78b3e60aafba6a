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
const itemMode = "0000755\0";

/**
 * The header blocks of a regular file, as Go's archive/tar writes them: USTAR, long paths split into prefix and name, and a
 * PAX record before the header when the path does not fit or is not ASCII.
 */
export function encodeTarHeader({ path, size, mtime }: TarHeader): Uint8Array {
  const split = splitUstarPath(path);
  if (split) return ustarBlock({ ...split, size, mtime, type: "0" });
  const record = encoder.encode(paxRecord("path", path));
  const ascii = asciiOnly(path);
  const slash = ascii.lastIndexOf("/");
  const paxName = `${ascii.slice(0, slash + 1)}PaxHeaders.0/${ascii.slice(slash + 1)}`;
  const blocks = new Uint8Array(tarBlockSize * 2 + padded(record.length));
  blocks.set(ustarBlock({ name: paxName.slice(0, maxName), prefix: "", size: record.length, mtime: 0, type: "x" }));
  blocks.set(record, tarBlockSize);
  blocks.set(
    ustarBlock({ name: ascii.slice(0, maxName), prefix: "", size, mtime, type: "0" }),
    tarBlockSize + padded(record.length),
  );
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

function ustarBlock({ name, prefix, size, mtime, type }: UstarFields): Uint8Array {
  const block = Buffer.alloc(tarBlockSize);
  block.write(name, 0, "latin1");
  block.write(type === "x" ? "0000000\0" : itemMode, 100, "latin1");
  block.write("0000000\x000000000\0", 108, "latin1");
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write(`${mtime.toString(8).padStart(11, "0")}\0`, 136, "latin1");
  block.write("        ", 148, "latin1");
  block.write(type, 156, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  block.write("0000000\x000000000\0", 329, "latin1");
  block.write(prefix, 345, "latin1");
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
