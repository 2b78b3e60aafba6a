import { expect, test } from "vitest";
import { startSandbox } from "../src/index.ts";
import { randomCases } from "./random-cases.ts";
import { startRealKubernetes } from "./real-kubernetes.ts";
import { runCase } from "./run-case.ts";

const seed = 20260301;
const count = 150;

test(`random objects and patches give the same on both (seed ${seed})`, async () => {
  await using kubernetes = await startRealKubernetes();
  await using sandbox = await startSandbox();
  for (const steps of randomCases(seed, count)) {
    const real = await runCase(kubernetes, steps);
    expect(await runCase(sandbox, steps), JSON.stringify(steps, null, 1)).toEqual(real);
  }
});
