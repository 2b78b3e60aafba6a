import { AppError } from "@jibe/base";

const powers: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
};
const exponents: Readonly<Record<string, number>> = {
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

/** Reads a Kubernetes quantity (`10Gi`, `1.5G`, `500m`, `1e3`) in billionths of the unit, which is exact for all of them. */
export function parseQuantity(text: string): bigint {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+|[numkMGTPE]?)$/.exec(text);
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match ?? [];
  if (!match || whole + fraction === "") {
    throw new AppError("InvalidArgument", `${JSON.stringify(text)} is no quantity: write it like 10Gi or 500M`);
  }
  const digits = BigInt(whole + fraction);
  const power = powers[suffix];
  const exponent = (power ? 0 : (exponents[suffix] ?? Number(suffix.slice(1)))) - fraction.length + 9;
  const scaled = exponent >= 0 ? digits * 10n ** BigInt(exponent) : roundedUp(digits, 10n ** BigInt(-exponent));
  const value = power ? scaled * power : scaled;
  return sign === "-" ? -value : value;
}

function roundedUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}
