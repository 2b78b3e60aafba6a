import { silentLogger } from "@jibe/base";
import { type Kubernetes, type PeerName, startKubernetes } from "@jibe/testkit/peers";
import { describe, test } from "vitest";
import { type SandboxOptions, startSandbox } from "../src/index.ts";
import { kubectlSession } from "./kubectl-session.ts";
import { startRealKubernetes } from "./real-kubernetes.ts";
import { expectSameSession } from "./run-session.ts";
import type { SessionStep } from "./session-step.ts";
import { veleroSession } from "./velero-session.ts";
import { workloadsSession } from "./workloads-session.ts";

const scope = { signal: new AbortController().signal, log: silentLogger };

interface Session {
  readonly program: PeerName;
  readonly steps: readonly SessionStep[];
  readonly real: () => Promise<Kubernetes>;
  readonly sandbox?: SandboxOptions;
}

/** Clusters in which things run. */
const alive = {
  real: () => startKubernetes({ controllerManager: true, scheduler: true, kwok: true }, scope),
  sandbox: { simulateWorkloads: true },
};
const sessions: Record<string, Session> = {
  "an everyday session with kubectl": { program: "kubectl", steps: kubectlSession, real: startRealKubernetes },
  "a session with kubectl where things run": { program: "kubectl", steps: workloadsSession, ...alive },
  "a session with velero": { program: "velero", steps: veleroSession, ...alive },
};

// Most of a session is waiting, and each has clusters of its own: they need not wait for one another.
describe.concurrent("the sandbox and a real cluster look the same", () => {
  for (const [name, { program, steps, ...clusters }] of Object.entries(sessions)) {
    test(`in ${name}`, { timeout: 600_000 }, async () => {
      await using real = await clusters.real();
      await using sandbox = await startSandbox(clusters.sandbox);
      await expectSameSession({ program, steps }, { real, sandbox }, scope);
    });
  }
});
