import type { Fields } from "./app-error.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where log lines go. The message is constant; what varies goes into fields. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A logger that adds these fields to each line. */
  with(fields: Fields): Logger;
}

/** One line, as a sink receives it. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Fields;
}

/** A logger on top of a function that takes whole lines. */
export function loggerTo(write: (line: LogLine) => void, fields: Fields = {}): Logger {
  const at = (level: LogLevel) => (message: string, more?: Fields) =>
    write({ level, message, fields: more === undefined ? fields : { ...fields, ...more } });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (more) => loggerTo(write, { ...fields, ...more }),
  };
}

/** Drops every line. */
export const silentLogger: Logger = loggerTo(() => {});
