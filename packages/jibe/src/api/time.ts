export { kubernetesTime as timestamp } from "@jibe/engine";

/** Milliseconds since the epoch, or `undefined` for an absent time. */
export function timeMs(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
