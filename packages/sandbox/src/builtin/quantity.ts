const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)|[eE]([+-]?\d+))?$/;

const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryPowers: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** An amount in whole nano units, and the notation it was written in. */
interface Amount {
  readonly nanos: bigint;
  readonly notation: "decimal" | "binary" | "exponent";
}

/** Reads a resource quantity such as `500m` or `2Gi`; undefined when it is none. */
export function parseQuantity(text: string): Amount | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, sign = "", digits = "", suffix = "", exponentText] = match;
  const [whole = "", fraction = ""] = digits.split(".");
  const mantissa = BigInt(`${whole}${fraction}` || "0");
  const exponent = exponentText === undefined ? (decimalExponents[suffix] ?? 0) : Number(exponentText);
  const scale = exponent + 9 - fraction.length;
  const factor = 1024n ** BigInt(binaryPowers[suffix] ?? 0);
  const scaled = mantissa * factor;
  const nanos = scale >= 0 ? scaled * 10n ** BigInt(scale) : roundUp(scaled, 10n ** BigInt(-scale));
  const notation = suffix in binaryPowers ? "binary" : exponentText === undefined ? "decimal" : "exponent";
  return { nanos: sign === "-" ? -nanos : nanos, notation };
}

const roundUp = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor;

/** The form in which the server gives a quantity back: `0.5` as `500m`, `1024Mi` as `1Gi`; undefined when it is none. */
export function canonicalQuantity(text: string): string | undefined {
  const amount = parseQuantity(text);
  if (!amount) return undefined;
  const negative = amount.nanos < 0n;
  const size = negative ? -amount.nanos : amount.nanos;
  return `${negative ? "-" : ""}${format(size, amount.notation)}`;
}

function format(nanos: bigint, notation: Amount["notation"]): string {
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
