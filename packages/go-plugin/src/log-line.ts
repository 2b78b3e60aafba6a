import type { LogLevel, LogLine } from "@jibe/base";

const levels: Readonly<Record<string, LogLevel>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
};

const prefixes: readonly (readonly [string, LogLevel])[] = [
  ["[TRACE]", "debug"],
  ["[DEBUG]", "debug"],
  ["[INFO]", "info"],
  ["[WARN]", "warn"],
  ["[ERROR]", "error"],
];

const timestampLayout = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/;

/** Whether a line is how a Go program begins to die. */
export function startsPanic(line: string): boolean {
  return line.startsWith("panic: ") || line.startsWith("fatal error: ");
}

/**
 * Reads the lines a plugin writes to standard error: hclog's JSON, lines with a level in front, anything else. After the
 * first line of a Go panic every plain line is an error, so that the stack trace is not lost among debug lines.
 */
export function logLineReader(): (line: string) => LogLine {
  let panicking = false;
  return (line) => {
    const json = jsonLogLine(line);
    if (json) return json;
    for (const [prefix, level] of prefixes) {
      if (line.startsWith(prefix)) return { level, message: line.slice(prefix.length).trim(), fields: {} };
    }
    panicking ||= startsPanic(line);
    return { level: panicking ? "error" : "debug", message: line, fields: {} };
  };
}

function jsonLogLine(line: string): LogLine | undefined {
  if (!line.startsWith("{")) return undefined;
  const parsed = parseObject(line);
  if (!parsed) return undefined;
  const { "@message": message, "@level": level, "@timestamp": timestamp, ...fields } = parsed;
  if (timestamp !== undefined && !(typeof timestamp === "string" && timestampLayout.test(timestamp))) return undefined;
  const known = typeof level === "string" ? levels[level.toLowerCase()] : undefined;
  if (known === undefined) return { level: "debug", message: line, fields: {} };
  return { level: known, message: typeof message === "string" ? message : "", fields };
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // not JSON: a plain line that happens to start with a brace
  }
}
