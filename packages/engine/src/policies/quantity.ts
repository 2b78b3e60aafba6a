import { AppError, parseQuantity } from "@jibe/base";

/** Reads a quantity that a user wrote (`10Gi`, `1.5G`, `500m`, `1e3`) in billionths of the unit. */
export function nanosFrom(text: string): bigint {
  const quantity = parseQuantity(text);
  if (!quantity) {
    throw new AppError("InvalidArgument", `${JSON.stringify(text)} is no quantity: write it like 10Gi or 500M`);
  }
  return quantity.nanos;
}
