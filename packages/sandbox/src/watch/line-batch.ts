/** Where the lines of a watch go. */
export interface WatchSink {
  write(chunk: Buffer): void;
  end(): void;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

const pieceBytes = 256 * 1024;

/** Puts lines together into pieces: each piece that is sent costs a record of TLS and a call to the system. */
export class LineBatch {
  readonly #to: Pick<WatchSink, "write">;
  #lines: Buffer[] = [];
  #bytes = 0;

  constructor(to: Pick<WatchSink, "write">) {
    this.#to = to;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  add(line: Buffer | undefined): void {
    if (!line) return;
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes >= pieceBytes) this.flush();
  }

  flush(): void {
    const [only, ...more] = this.#lines;
    if (!only) return;
    const piece = more.length === 0 ? only : Buffer.concat(this.#lines, this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    this.#to.write(piece);
  }
}
