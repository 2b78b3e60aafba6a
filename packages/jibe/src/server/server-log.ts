import { type Clock, type Logger, type LogLevel, type LogLine, loggerTo } from "@jibe/base";
import { formatLogLine, kubernetesTime, type LogFormat } from "@jibe/engine";

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** The server's own log, in the same form as the logs of runs. */
export function serverLogger(
  write: (text: string) => void,
  { level, format, clock }: { readonly level: LogLevel; readonly format: LogFormat; readonly clock: Clock },
): Logger {
  const isRepeated = repeatsOf(clock);
  return loggerTo((line) => {
    if (rank[line.level] < rank[level] || (level !== "debug" && isRepeated(line))) return;
    const text = formatLogLine(line, kubernetesTime(clock.now()), format);
    write(text.endsWith("\n") ? text : `${text}\n`);
  });
}

const repeatAfterMs = 600_000;
const mostRemembered = 500;

/** A warning that gives the same reason again, as each new attempt does, is written once in ten minutes. */
function repeatsOf(clock: Clock): (line: LogLine) => boolean {
  const writtenAt = new Map<string, number>();
  return ({ level, message, fields }) => {
    if (level !== "warn" || typeof fields["reason"] !== "string") return false;
    const said = `${message}\n${fields["reason"]}`;
    const now = clock.monotonicMs();
    const before = writtenAt.get(said);
    if (before !== undefined && now - before < repeatAfterMs) return true;
    if (writtenAt.size >= mostRemembered) writtenAt.clear();
    writtenAt.set(said, now);
    return false;
  };
}
