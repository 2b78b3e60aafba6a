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

/** A Kubernetes resource quantity in whole nano units, which is exact for all of them, and the notation it was written in. */
export interface Quantity {
  readonly nanos: bigint;
  readonly notation: "decimal" | "binary" | "exponent";
}

/** Reads a quantity such as `500m` or `2Gi`; undefined when it is none. */
export function parseQuantity(text: string): Quantity | undefined {
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
