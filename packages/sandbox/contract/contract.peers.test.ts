import type { Kubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { areas } from "./cases/index.ts";
import { readFixtures } from "./fixtures.ts";
import { startRealKubernetes } from "./real-kubernetes.ts";
import { runCase } from "./run-case.ts";

let kubernetes: Kubernetes;
beforeAll(async () => {
  kubernetes = await startRealKubernetes();
});
afterAll(async () => {
  await kubernetes[Symbol.asyncDispose]();
});

// A real server takes seconds to serve a new type or to take a namespace away; each of these cases has its own of both.
const sideBySide = /^(custom-|deletion$)/;

for (const [area, cases] of Object.entries(areas)) {
  describe(`a real API server still answers as recorded: ${area}`, { concurrent: sideBySide.test(area) }, () => {
    const recorded = readFixtures(area);
    for (const [name, steps] of Object.entries(cases)) {
      test(name, async () => {
        expect(await runCase(kubernetes, steps)).toEqual(recorded[name]);
      });
    }
  });
}
