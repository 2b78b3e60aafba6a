import { type Clock, type Fields, type Logger, type LogLevel, type LogLine, loggerTo, type Scope } from "@jibe/base";
import { createGzipLines } from "../gzip/gzip-lines.ts";
import type { Scratch, ScratchFile } from "../ports/scratch.ts";
import { formatLogLine, type LogFormat } from "./log-format.ts";

export interface RunLogOptions {
  readonly scratch: Scratch;
  readonly clock: Clock;
  /** On every line: `backup` or `restore` with `namespace/name`. */
  readonly fields: Fields;
  readonly format?: LogFormat;
  /** Lines below it are not written. */
  readonly level?: LogLevel;
  /** Where the lines go besides, such as the server's own log. */
  readonly tee?: Logger;
  /** Sees every warning and error, whatever the level: for a backup these count. */
  readonly count?: (line: LogLine) => void;
}

/** A log that someone may read while it is written. */
export interface LiveLog {
  /** What was logged so far, gzipped. Longer the next time, with the same beginning. Fails once the run has ended. */
  soFar(scope: Scope): AsyncIterable<Uint8Array>;
}

/** The log of one backup or restore: in a gzipped scratch file from the first line on. */
export interface RunLog extends LiveLog, AsyncDisposable {
  readonly logger: Logger;
  /** For lines of which there is one per item: they go to the file and nowhere else. */
  readonly fileOnly: Logger;
  /** Set while too many lines wait to be written: whoever writes one per item waits for it. */
  room(): Promise<void> | undefined;
  /** Completes the file and gives it, ready for upload. Later lines reach only the tee and the count. */
  finish(): Promise<ScratchFile>;
}

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export async function createRunLog(options: RunLogOptions, scope: Scope): Promise<RunLog> {
  const { scratch, clock, fields, format = "text", level = "info", tee, count } = options;
  const file = await scratch.create("log", scope);
  const lines = createGzipLines(file, { ...scope, signal: new AbortController().signal }); // a stopped run keeps its log
  const time = secondsClock(clock);
  const write = (line: LogLine) => {
    if (count && rank[line.level] >= rank.warn) count(line);
    if (rank[line.level] >= rank[level]) lines.write(formatLogLine(line, time(), format));
  };
  return {
    logger: loggerTo((line) => {
      write(line);
      tee?.[line.level](line.message, line.fields);
    }, fields),
    fileOnly: loggerTo(write, fields),
    room: () => lines.room(),
    async *soFar(reader) {
      await lines.flush();
      yield* file.stream(reader);
    },
    finish: () => lines.finish(),
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}

/** The time of a line, in whole seconds; formatted once a second. */
function secondsClock(clock: Clock): () => string {
  let second = -1;
  let text = "";
  return () => {
    const now = clock.now();
    const current = Math.floor(now.getTime() / 1000);
    if (current !== second) {
      second = current;
      text = `${now.toISOString().slice(0, 19)}Z`;
    }
    return text;
  };
}
