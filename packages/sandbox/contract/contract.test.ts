import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../src/index.ts";
import { areas } from "./cases/index.ts";
import { readFixtures } from "./fixtures.ts";
import { runCase } from "./run-case.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

for (const [area, cases] of Object.entries(areas)) {
  describe(`the sandbox answers as a real API server: ${area}`, () => {
    const recorded = readFixtures(area);
    for (const [name, steps] of Object.entries(cases)) {
      test(name, async () => {
        expect(await runCase(sandbox, steps)).toEqual(recorded[name]);
      });
    }
  });
}
