const newline = 0x0a;

/** The lines of a byte stream, without their ends; an unfinished last line is left out. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const tail = bytes.subarray(from, end);
      const line = rest.length === 0 ? tail : Buffer.concat([...rest, tail]);
      rest = [];
      from = end + 1;
      if (line.length > 0) yield line.toString("utf8");
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
  }
}
