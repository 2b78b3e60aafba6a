import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";

const compress = promisify(gzip);
const memberBytes = 64 * 1024;
const maxWaiting = 16;

/**
 * Text lines on their way into a gzipped scratch file. `write` returns at once; compression and writing go on behind it, in
 * order. A failure to write does not reach the writer of a line: it is kept and thrown by `flush` and `finish`. The file is a
 * row of gzip members, each appended whole, so that what is in it at any time can be read.
 */
export interface GzipLines {
  write(line: string): void;
  /** Set while too much waits to be written: whoever writes a line per item waits for it. */
  room(): Promise<void> | undefined;
  /** Resolves once every line written so far is in the file. */
  flush(): Promise<void>;
  /** As `flush`, and the file is complete. Later lines are dropped. */
  finish(): Promise<void>;
}

export function createGzipLines(file: ScratchFile, scope: Scope): GzipLines {
  let pending: string[] = [];
  let pendingLength = 0;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  let storing: Promise<void> = Promise.resolve();

  let waiting = 0;
  const store = (text: string) => {
    waiting++;
    storing = storing.then(async () => {
      waiting--;
      if (failure) return; // what cannot be stored is still taken, so that nobody waits for it
      try {
        await file.append(await compress(text), scope);
      } catch (error) {
        failure = { error };
      }
    });
  };
  const flush = async () => {
    if (pending.length > 0) store(pending.join(""));
    pending = [];
    pendingLength = 0;
    await storing;
    if (failure) throw failure.error;
  };
  return {
    write(line) {
      if (ended) return;
      pending.push(line, "\n");
      pendingLength += line.length + 1;
      if (pendingLength < memberBytes) return;
      store(pending.join(""));
      pending = [];
      pendingLength = 0;
    },
    room: () => (waiting > maxWaiting ? storing : undefined),
    flush,
    async finish() {
      ended = true;
      await flush();
      if (file.size > 0) return;
      store(""); // an empty file would be no gzip
      await flush();
    },
  };
}
