import { type Logger, type LogLine, loggerTo, type Scope } from "@jibe/base";

/** A scope for one test. Disposing it stops all that was started with it and still waits. */
export interface TestScope extends Scope, Disposable {
  /** Every log line so far, in order. */
  readonly lines: readonly LogLine[];
  /** The messages of those lines, optionally of one level. */
  messages(level?: LogLine["level"]): readonly string[];
  /** Stops the scope; waits reject with `reason`. */
  abort(reason?: unknown): void;
}

/** Makes a scope that collects its log lines. Take it with `using`. */
export function testScope(): TestScope {
  const controller = new AbortController();
  const lines: LogLine[] = [];
  const log: Logger = loggerTo((line) => lines.push(line));
  const abort = (reason: unknown = new Error("the test stopped its scope")) => controller.abort(reason);
  return {
    signal: controller.signal,
    log,
    lines,
    messages: (level) =>
      lines.filter((line) => level === undefined || line.level === level).map(({ message }) => message),
    abort,
    [Symbol.dispose]: () => abort(new Error("the test has ended")),
  };
}
