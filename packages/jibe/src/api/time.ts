/** A time as Kubernetes writes it: UTC, whole seconds. */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch, or `undefined` for an absent time. */
export function timeMs(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
