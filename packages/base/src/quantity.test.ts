import { expect, test } from "vitest";
import { parseQuantity, type Quantity } from "./quantity.ts";

const billion = 1_000_000_000n;
const quantities: Record<string, Quantity> = {
  "1Gi": { nanos: 1_073_741_824n * billion, notation: "binary" },
  "1.5Ki": { nanos: 1536n * billion, notation: "binary" },
  "500m": { nanos: 500_000_000n, notation: "decimal" },
  ".5": { nanos: 500_000_000n, notation: "decimal" },
  "1E": { nanos: 10n ** 27n, notation: "decimal" },
  "1e3": { nanos: 1000n * billion, notation: "exponent" },
  "-2k": { nanos: -2000n * billion, notation: "decimal" },
  "9223372036854775807": { nanos: 9_223_372_036_854_775_807n * billion, notation: "decimal" },
};

for (const [text, want] of Object.entries(quantities)) {
  test(`${text} is read exactly`, () => expect(parseQuantity(text)).toEqual(want));
}

test("parts of a billionth are rounded up", () => expect(parseQuantity("0.1n")?.nanos).toBe(1n));

for (const text of ["", "Gi", "1 Gi", "1GiB", "one"]) {
  test(`${JSON.stringify(text)} is no quantity`, () => expect(parseQuantity(text)).toBeUndefined());
}
