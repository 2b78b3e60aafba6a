import { silentLogger } from "@jibe/base";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Sandbox, startSandbox } from "../src/index.ts";
import { kubectlSession } from "./kubectl-session.ts";
import { startRealKubernetes } from "./real-kubernetes.ts";
import { expectSameSession } from "./run-session.ts";
import { veleroSession } from "./velero-session.ts";
import { workloadsSession } from "./workloads-session.ts";

const scope = { signal: new AbortController().signal, log: silentLogger };
const timeout = 600_000;

test("an everyday session with kubectl looks the same on the sandbox and on a real cluster", { timeout }, async () => {
  await using real = await startRealKubernetes();
  await using sandbox = await startSandbox();
  await expectSameSession({ program: "kubectl", steps: kubectlSession }, { real, sandbox }, scope);
});

describe("a cluster in which things run", () => {
  let real: Kubernetes;
  let sandbox: Sandbox;
  beforeAll(async () => {
    real = await startKubernetes({ controllerManager: true, scheduler: true, kwok: true }, scope);
    sandbox = await startSandbox({ simulateWorkloads: true });
  });
  afterAll(async () => {
    await real?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
  });

  const sessions = { kubectl: workloadsSession, velero: veleroSession } as const;
  for (const program of ["kubectl", "velero"] as const) {
    test(`a session with ${program} looks the same on the sandbox and on a real cluster`, { timeout }, async () => {
      await expectSameSession({ program, steps: sessions[program] }, { real, sandbox }, scope);
    });
  }
});
