import { promisify } from "node:util";
import { gzip } from "node:zlib";

const blockBytes = 512;
const compress = promisify(gzip);

/** A few text files as a gzipped tar. Paths are plain ASCII of at most 100 characters. */
export async function tarBundle(files: ReadonlyMap<string, string>, time: Date): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const [path, text] of files) {
    const content = Buffer.from(text);
    parts.push(header(path, content.length, time), content, Buffer.alloc(-content.length & (blockBytes - 1)));
  }
  parts.push(Buffer.alloc(blockBytes * 2));
  return compress(Buffer.concat(parts));
}

function header(path: string, size: number, time: Date): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${Math.floor(value).toString(8).padStart(digits, "0")}\0`;
  const put = (text: string, at: number) => block.write(text, at, "ascii");
  put(path.replace(/[^\x20-\x7e]/g, "_").slice(0, 100), 0);
  put(octal(0o600, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(time.getTime() / 1000, 11), 136);
  put("        0", 148);
  put("ustar\x0000", 257);
  put(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  return block;
}
