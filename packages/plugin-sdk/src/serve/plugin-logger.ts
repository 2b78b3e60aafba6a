import { type Fields, type Logger, type LogLevel, type LogLine, loggerTo, messageOf } from "@jibe/base";
import { stackFrames } from "../wire/stack-frames.ts";

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

// Keys that mean something else to a host, which would drop or misread them.
const reserved = new Set(["time", "timestamp", "level", "msg", "logSource"]);

/**
 * A logger whose lines a host puts into the log of the running backup or restore, at their level. Mind that Velero counts
 * each warning and error there: one logged error makes a backup PartiallyFailed.
 */
export function pluginLogger(write: (text: string) => void, minLevel: LogLevel): Logger {
  return loggerTo((line) => {
    if (rank[line.level] >= rank[minLevel]) write(`${formatPluginLine(line)}\n`);
  });
}

/** One line as hosts parse it. */
export function formatPluginLine({ level, message, fields }: LogLine): string {
  const line: Record<string, unknown> = { "@level": level, "@message": message };
  line["level"] = level === "warn" ? "warning" : level;
  for (const [key, value] of Object.entries(fields)) Object.assign(line, printable(key, value));
  return JSON.stringify(line);
}

/** `--log-level` among arguments that are otherwise the server's; `info` unless it is there and known. */
export function logLevelFrom(args: readonly string[]): LogLevel {
  const index = args.findIndex((arg) => /^--?log-level(=|$)/.test(arg));
  const arg = args[index] ?? "";
  const value = (arg.includes("=") ? arg.slice(arg.indexOf("=") + 1) : args[index + 1]) ?? "";
  if (index < 0) return "info";
  return levelNames[value.toLowerCase()] ?? "info";
}

const levelNames: Readonly<Record<string, LogLevel>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  fatal: "error",
  panic: "error",
};

function printable(key: string, value: unknown): Fields {
  const name = key.startsWith("@") || reserved.has(key) ? `field.${key}` : key;
  if (value === undefined) return {};
  if (value instanceof Error) return { [name]: messageOf(value), ...originOf(name, value) };
  if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function") {
    return { [name]: String(value) };
  }
  const text = kubernetesName(value);
  if (text !== undefined) return { [name]: text };
  // Velero's log counter takes these three for strings without looking, at the price of a crash.
  const mustBeText = name === "namespace" || name === "name" || name === "resource";
  return { [name]: mustBeText && typeof value !== "string" ? jsonText(value) : safe(value) };
}

function originOf(name: string, error: Error): Fields {
  const [frame] = stackFrames(error);
  return frame ? { [`${name}.file`]: `${frame.file}:${frame.line}`, [`${name}.function`]: frame.function } : {};
}

function kubernetesName(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("metadata" in value)) return undefined;
  const { namespace, name } = value.metadata as { namespace?: unknown; name?: unknown };
  return [value.kind, namespace, name].filter((part) => part !== undefined).join("/");
}

function jsonText(value: unknown): string {
  return JSON.stringify(safe(value)) ?? String(value);
}

function safe(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return String(value); // a cycle or a BigInt inside: its text is better than no line
  }
}
