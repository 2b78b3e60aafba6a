import { gzipSync } from "node:zlib";
import type { Scope } from "@jibe/base";
import type { ScratchFile } from "../ports/scratch.ts";
import { createGzipBlocks } from "./gzip-blocks.ts";

const blockBytes = 256 * 1024;
const parallel = 4;

/**
 * Text lines on their way into a gzipped scratch file. `write` returns at once; compression and writing go on behind it, in
 * order. A failure to write does not reach the writer of a line: it is kept and thrown by `flush` and `finish`. The file is a
 * row of gzip members, each appended whole, so that what is in it at any time can be read.
 */
export interface GzipLines extends AsyncDisposable {
  write(line: string): void;
  /** Set while too much waits to be written: whoever writes a line per item waits for it. */
  room(): Promise<void> | undefined;
  /** Resolves once every line written so far is in the file. */
  flush(): Promise<void>;
  /** As `flush`; gives the file, complete. Later lines are dropped. */
  finish(): Promise<ScratchFile>;
}

/** The lines own the file from here on: disposing them removes it. */
export function createGzipLines(file: ScratchFile, scope: Scope): GzipLines {
  const blocks = createGzipBlocks({ sink: file, blockBytes, parallel }, scope);
  let ended = false;
  const finish = async () => {
    ended = true;
    await blocks.flush();
    if (file.size === 0) await file.append(gzipSync(""), scope); // an empty file would be no gzip
    return file;
  };
  return {
    write(line) {
      if (ended) return;
      blocks.writeText(line);
      blocks.writeText("\n");
    },
    room: () => blocks.room(),
    flush: () => blocks.flush(),
    finish,
    async [Symbol.asyncDispose]() {
      await finish().catch(() => {}); // whoever wanted the file has seen the failure
      await file[Symbol.asyncDispose]();
    },
  };
}
