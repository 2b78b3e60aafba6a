const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const bytesWords: ReadonlySet<string> = new Set(["b", "byte", "bytes"]);

/** A count with its thousands apart: `12,345`. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** How much of how much: bytes in a unit that reads well, anything else as it is. */
export function formatAmounts(done: number, total: number, units: string): string {
  if (!isBytes(units)) return `${formatCount(done)} of ${formatCount(total)} ${units}`.trim();
  const { scale, unit, digits } = byteScale(total);
  return `${(done / scale).toFixed(digits)} of ${(total / scale).toFixed(digits)} ${unit}`;
}

/** A speed: `1.5 MiB/s`, `12 files/s`. */
export function formatRate(perSecond: number, units: string): string {
  if (isBytes(units)) {
    const { scale, unit, digits } = byteScale(perSecond);
    return `${(perSecond / scale).toFixed(digits)} ${unit}/s`;
  }
  const count = perSecond >= 10 ? formatCount(perSecond) : perSecond.toFixed(1);
  return `${count} ${units}/s`.replace(" /s", "/s");
}

const isBytes = (units: string) => bytesWords.has(units.toLowerCase());

function byteScale(bytes: number): { readonly scale: number; readonly unit: string; readonly digits: number } {
  const step = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return { scale: 1024 ** step, unit: byteUnits[step] ?? "B", digits: step === 0 ? 0 : 1 };
}

/** `1 error`, `2 errors`. */
export const counted = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
