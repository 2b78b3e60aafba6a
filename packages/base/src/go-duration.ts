import { AppError } from "./app-error.ts";

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Reads Go's duration text (`720h0m0s`, `1.5h`, `-10ms`) as milliseconds. */
export function parseGoDuration(text: string): number {
  const invalid = () =>
    new AppError("InvalidArgument", `invalid duration ${JSON.stringify(text)}: write it like 10m or 1h30m`);
  const match = /^([+-]?)((?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.exec(text);
  if (text === "0" || text === "+0" || text === "-0") return 0;
  if (!match) throw invalid();
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const factor = unitMs[unit ?? ""];
    if (factor === undefined) throw invalid();
    ms += Number(number) * factor;
  }
  return match[1] === "-" ? -ms : ms;
}

/** Writes milliseconds as Go does: `4h0m0s`, `1m30s`, `1.5s`, `250ms`, `0s`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return "0s";
  const sign = ms < 0 ? "-" : "";
  const abs = Math.abs(ms);
  if (abs < 1e-3) return `${sign}${trim(abs * 1e6)}ns`;
  if (abs < 1) return `${sign}${trim(abs * 1e3)}µs`;
  if (abs < 1000) return `${sign}${trim(abs)}ms`;
  const hours = Math.floor(abs / 3_600_000);
  const minutes = Math.floor((abs % 3_600_000) / 60_000);
  const seconds = trim((abs % 60_000) / 1000);
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

function trim(value: number): string {
  return String(Number(value.toFixed(9)));
}
