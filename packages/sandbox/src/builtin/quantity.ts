import { parseQuantity, type Quantity } from "@jibe/base";

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The form in which the server gives a quantity back: `0.5` as `500m`, `1024Mi` as `1Gi`; undefined when it is none. */
export function canonicalQuantity(text: string): string | undefined {
  const amount = parseQuantity(text);
  if (!amount) return undefined;
  const negative = amount.nanos < 0n;
  const size = negative ? -amount.nanos : amount.nanos;
  return `${negative ? "-" : ""}${format(size, amount.notation)}`;
}

function format(nanos: bigint, notation: Quantity["notation"]): string {
  if (nanos === 0n) return "0";
  const units = nanos / 1_000_000_000n;
  const isWhole = units * 1_000_000_000n === nanos;
  if (notation === "binary" && isWhole && units >= 1024n) {
    const [value, power] = divideWhole(units, 1024n, binarySuffixes.length - 1);
    return `${value}${binarySuffixes[power]}`;
  }
  if (notation === "binary" && isWhole) return units.toString();
  const [value, power] = divideWhole(nanos, 1000n, decimalSuffixes.length - 1);
  if (notation !== "exponent") return `${value}${decimalSuffixes[power]}`;
  const exponent = (power - 3) * 3;
  return exponent === 0 ? value.toString() : `${value}e${exponent}`;
}

/** Divides as often as nothing remains. */
function divideWhole(value: bigint, by: bigint, limit: number): readonly [value: bigint, times: number] {
  let [current, times] = [value, 0];
  while (times < limit && current % by === 0n) {
    current /= by;
    times++;
  }
  return [current, times];
}
