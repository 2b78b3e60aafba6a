/** A time as Go prints it: `2026-05-20 08:00:22 +0000 UTC`; `<nil>` when there is none. */
export function goTime(text: string | null | undefined, missing = "<nil>"): string {
  if (!text) return missing;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? missing : `${date.toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
}

/** A span as kubectl shortens it: `45s`, `3m20s`, `2h`, `29d`. */
export function shortSpan(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 && days % 365 !== 0 ? `${years}y${days % 365}d` : `${years}y`;
}

/** How long until a time, or how long ago it was: `29d`, `3h ago`, `n/a`. */
export function untilOrAgo(text: string | null | undefined, now: Date): string {
  if (!text) return "n/a";
  const ms = Date.parse(text) - now.getTime();
  return ms < 0 ? `${shortSpan(-ms)} ago` : shortSpan(ms);
}
