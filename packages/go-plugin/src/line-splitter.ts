/** Cuts a byte stream into lines. A line longer than `maxBytes` comes in pieces, so that memory stays bounded. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(onLine: (line: string) => void, maxBytes = 64 * 1024) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
  }

  write(chunk: Uint8Array): void {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#add(rest.subarray(0, end));
      this.#emit();
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  /** Hands out what came after the last line end. */
  end(): void {
    if (this.#pendingBytes > 0) this.#emit();
  }

  #add(bytes: Uint8Array): void {
    let rest = bytes;
    while (this.#pendingBytes + rest.length > this.#maxBytes) {
      const room = this.#maxBytes - this.#pendingBytes;
      this.#push(rest.subarray(0, room));
      this.#emit();
      rest = rest.subarray(room);
    }
    this.#push(rest);
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  #emit(): void {
    const line = Buffer.concat(this.#pending).toString("utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

const newline = 0x0a;
