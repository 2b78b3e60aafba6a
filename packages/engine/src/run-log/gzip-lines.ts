import { createGzip, type Gzip } from "node:zlib";
import type { Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";

const flushBytes = 64 * 1024;

/**
 * Text lines on their way into a gzipped scratch file. `write` returns at once; compression and writing go on behind it, in
 * order. A failure to write does not reach the writer of a line: it is kept and thrown by `finish`.
 */
export interface GzipLines {
  write(line: string): void;
  /** Everything written so far is on its way; the file is complete. Later lines are dropped. */
  finish(): Promise<void>;
}

export function createGzipLines(file: ScratchFile, scope: Scope): GzipLines {
  const gzip = createGzip();
  const stored = storeOutput(gzip, file, scope);
  let pending: string[] = [];
  let pendingLength = 0;
  let ended = false;
  let flushing: Promise<void> = Promise.resolve();

  const flush = () => {
    if (pending.length === 0) return;
    const text = pending.join("");
    pending = [];
    pendingLength = 0;
    flushing = flushing.then(() => writeAll(gzip, text));
  };
  return {
    write(line) {
      if (ended) return;
      pending.push(line, "\n");
      pendingLength += line.length + 1;
      if (pendingLength >= flushBytes) flush();
    },
    async finish() {
      if (!ended) {
        ended = true;
        flush();
        await flushing;
        gzip.end();
      }
      const failure = await stored;
      if (failure) throw failure.error;
    },
  };
}

function writeAll(gzip: Gzip, text: string): Promise<void> {
  return new Promise((resolve) => {
    gzip.write(text, () => resolve());
  });
}

/** Never rejects: a failure to store must not be an unhandled rejection while the run still goes on. */
async function storeOutput(gzip: Gzip, file: ScratchFile, scope: Scope): Promise<{ error: unknown } | undefined> {
  let failure: { error: unknown } | undefined;
  for await (const chunk of gzip) {
    if (failure) continue; // what cannot be stored is still taken, so that nobody waits for it
    await file.append(chunk as Uint8Array, scope).catch((error: unknown) => {
      failure = { error };
    });
  }
  return failure;
}
