import { expect, test } from "vitest";
import { canonicalQuantity } from "./quantity.ts";

const cases: Record<string, string | undefined> = {
  "1": "1",
  "0.5": "500m",
  "1000m": "1",
  "1500m": "1500m",
  "1024Mi": "1Gi",
  "1.5Gi": "1536Mi",
  "100Mi": "100Mi",
  "1024": "1024",
  "1000": "1k",
  "1e3": "1e3",
  "12e6": "12e6",
  "0": "0",
  "0Gi": "0",
  "-250m": "-250m",
  ".5": "500m",
  "100n": "100n",
  "0.1n": "1n",
  abc: undefined,
  "": undefined,
  "1 Gi": undefined,
};
for (const [text, want] of Object.entries(cases)) {
  test(`quantity ${JSON.stringify(text)} is given back as ${want}`, () => expect(canonicalQuantity(text)).toBe(want));
}
