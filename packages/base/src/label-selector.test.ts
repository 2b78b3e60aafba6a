import { expect, test } from "vitest";
import { formatLabelSelector, matchesLabels, parseLabelSelector } from "./label-selector.ts";

const labels = { app: "shop", tier: "web", "velero.io/x": "1", empty: "" };
const cases: Record<string, boolean> = {
  "": true,
  "app=shop": true,
  "app==shop, tier in (web,db)": true,
  "app!=shop": false,
  "tier notin (db)": true,
  "absent notin (db)": true,
  "absent!=x": true,
  app: true,
  absent: false,
  "!absent": true,
  "!app": false,
  "velero.io/x=1": true,
  "empty=": true,
  "app in (shop),tier=db": false,
};
for (const [text, want] of Object.entries(cases)) {
  test(`${JSON.stringify(text)} ${want ? "matches" : "does not match"}`, () =>
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(want));
}

test("a structured selector has Kubernetes' text form", () => {
  const selector = {
    matchLabels: { b: "2", a: "1" },
    matchExpressions: [
      { key: "c", operator: "In" as const, values: ["z", "y"] },
      { key: "d", operator: "DoesNotExist" as const },
    ],
  };
  expect(formatLabelSelector(selector)).toBe("a=1,b=2,c in (y,z),!d");
});

for (const bad of ["a b", "=x", "a in x", "a=b=c", "a,,b"]) {
  test(`${JSON.stringify(bad)} is refused`, () =>
    expect(() => parseLabelSelector(bad)).toThrow(/invalid label selector/));
}
