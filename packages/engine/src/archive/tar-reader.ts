import { AppError } from "@jibe/base";
import { ByteReader } from "./byte-reader.ts";
import { padded, tarBlockSize } from "./tar-header.ts";

export interface TarEntry {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

export interface TarLimits {
  readonly maxEntryBytes: number;
  readonly maxEntries: number;
}

const maxExtensionBytes = 1024 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a tar stream entry by entry: USTAR, PAX and GNU long names. Entries that are neither file nor directory, entries beyond the
 * limits and broken headers fail with an error that names the entry.
 */
export class TarReader {
  readonly #bytes: ByteReader;
  readonly #limits: TarLimits;
  #unread = 0;
  #padding = 0;
  #count = 0;
  #path = "";

  constructor(source: AsyncIterable<Uint8Array>, limits: TarLimits) {
    this.#bytes = new ByteReader(source);
    this.#limits = limits;
  }

  /** The next entry; what was not read of the one before is passed over. */
  async next(): Promise<TarEntry | undefined> {
    await this.#skip();
    let extended: Extended = {};
    while (true) {
      const block = await this.#block(tarBlockSize);
      if (isZero(block)) return this.#end(extended);
      const header = parseHeader(block, this.#path);
      if (header.flag === "x" || header.flag === "L") {
        const body = await this.#extension(header);
        extended = { ...extended, ...(header.flag === "x" ? parsePax(body) : { path: cString(body, 0, body.length) }) };
      } else if (header.flag === "g" || header.flag === "K") {
        await this.#extension(header); // global records and long link targets say nothing about files
      } else {
        return this.#entry(header, extended);
      }
    }
  }

  /** The body of the entry last returned, whole. */
  async body(): Promise<Uint8Array> {
    const size = this.#unread;
    this.#unread = 0;
    const bytes = this.#bytes.readNow(size) ?? (await this.#bytes.read(size));
    if (bytes.length < size) throw this.#truncated();
    return bytes;
  }

  /** Ends reading, also in the middle. */
  close(): Promise<void> {
    return this.#bytes.close();
  }

  #entry(header: RawHeader, extended: Extended): TarEntry {
    const path = extended.path ?? header.path;
    const size = extended.size ?? header.size;
    this.#path = path;
    const type = header.flag === "5" ? "directory" : "file";
    if (!["0", "\0", "5", "7"].includes(header.flag)) {
      throw new AppError("InvalidArgument", `archive entry ${JSON.stringify(path)} is neither a file nor a directory`);
    }
    if (size > this.#limits.maxEntryBytes) {
      throw new AppError("InvalidArgument", `archive entry ${JSON.stringify(path)} is larger than allowed`, {
        fields: { size, maxEntryBytes: this.#limits.maxEntryBytes },
      });
    }
    if (++this.#count > this.#limits.maxEntries) {
      throw new AppError("InvalidArgument", `archive has more entries than allowed, from ${JSON.stringify(path)} on`, {
        fields: { maxEntries: this.#limits.maxEntries },
      });
    }
    this.#unread = type === "file" ? size : 0;
    this.#padding = padded(this.#unread) - this.#unread;
    return {
      path: type === "directory" ? path.replace(/\/+$/, "") : path,
      type,
      size: this.#unread,
      mtime: header.mtime,
    };
  }

  async #extension(header: RawHeader): Promise<Uint8Array> {
    if (header.size > maxExtensionBytes) throw broken(`archive has an oversized extended header`, header.path);
    const body = await this.#block(padded(header.size));
    return body.subarray(0, header.size);
  }

  async #end(extended: Extended): Promise<undefined> {
    if (extended.path !== undefined || extended.size !== undefined) {
      throw broken("archive ends after an extended header", this.#path);
    }
    // The rest is padding, but reading it to its end is what proves that the stream is whole.
    while ((await this.#bytes.readSome(Number.MAX_SAFE_INTEGER)).length > 0);
  }

  async #skip(): Promise<void> {
    let rest = this.#unread + this.#padding;
    this.#unread = 0;
    this.#padding = 0;
    while (rest > 0) {
      const piece = await this.#bytes.readSome(rest);
      if (piece.length === 0) throw this.#truncated();
      rest -= piece.length;
    }
  }

  async #block(length: number): Promise<Uint8Array> {
    const block = this.#bytes.readNow(length) ?? (await this.#bytes.read(length));
    if (block.length < length) throw this.#truncated();
    return block;
  }

  #truncated(): AppError {
    return broken("archive is truncated", this.#path);
  }
}

interface RawHeader {
  readonly path: string;
  readonly flag: string;
  readonly size: number;
  readonly mtime: number;
}

interface Extended {
  readonly path?: string;
  readonly size?: number;
}

function parseHeader(block: Uint8Array, before: string): RawHeader {
  const view = Buffer.from(block.buffer, block.byteOffset, block.length);
  let sum = 8 * 0x20;
  for (let index = 0; index < tarBlockSize; index++) {
    if (index < 148 || index >= 156) sum += view[index] ?? 0;
  }
  if (parseNumber(view, 148, 8) !== sum) throw broken("archive has a broken tar header", before);
  const name = cString(view, 0, 100);
  const isUstar = view.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isUstar ? cString(view, 345, 155) : "";
  const size = parseNumber(view, 124, 12);
  if (size === undefined) throw broken("archive has a tar header without size", name);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    flag: view.toString("latin1", 156, 157),
    size,
    mtime: parseNumber(view, 136, 12) ?? 0,
  };
}

/** Octal text, or base-256 with the top bit set. */
function parseNumber(view: Buffer, offset: number, length: number): number | undefined {
  const first = view[offset] ?? 0;
  if (first & 0x80) {
    let value = first & 0x7f;
    for (let index = 1; index < length; index++) value = value * 256 + (view[offset + index] ?? 0);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const text = view
    .toString("latin1", offset, offset + length)
    .replace(/[\0 ]+$/, "")
    .trim();
  if (text === "") return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

function cString(bytes: Uint8Array, offset: number, length: number): string {
  const zero = bytes.indexOf(0, offset);
  return decodeUtf8(bytes.subarray(offset, zero < 0 || zero > offset + length ? offset + length : zero));
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("latin1"); // a name that is no UTF-8 is shown, and refused later
  }
}

function parsePax(body: Uint8Array): Extended {
  let path: string | undefined;
  let size: number | undefined;
  let offset = 0;
  while (offset < body.length) {
    const space = body.indexOf(0x20, offset);
    const length = Number(decodeUtf8(body.subarray(offset, space < 0 ? offset : space)));
    const end = offset + length;
    if (space < 0 || !Number.isSafeInteger(length) || length < 5 || end > body.length || body[end - 1] !== 0x0a) {
      throw broken("archive has a broken extended header", path ?? "");
    }
    const record = decodeUtf8(body.subarray(space + 1, end - 1));
    const [key, value] = [record.slice(0, record.indexOf("=")), record.slice(record.indexOf("=") + 1)];
    if (key === "path") path = value;
    if (key === "size" && /^\d+$/.test(value)) size = Number(value);
    offset = end;
  }
  return { ...(path === undefined ? {} : { path }), ...(size === undefined ? {} : { size }) };
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

function broken(message: string, path: string): AppError {
  return new AppError("DataLoss", path === "" ? message : `${message} at entry ${JSON.stringify(path)}`);
}
