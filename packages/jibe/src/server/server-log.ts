import { type Clock, type Logger, type LogLevel, loggerTo } from "@jibe/base";
import { formatLogLine, kubernetesTime, type LogFormat } from "@jibe/engine";

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** The server's own log, in the same form as the logs of runs. */
export function serverLogger(
  write: (text: string) => void,
  { level, format, clock }: { readonly level: LogLevel; readonly format: LogFormat; readonly clock: Clock },
): Logger {
  return loggerTo((line) => {
    if (rank[line.level] < rank[level]) return;
    const text = formatLogLine(line, kubernetesTime(clock.now()), format);
    write(text.endsWith("\n") ? text : `${text}\n`);
  });
}
