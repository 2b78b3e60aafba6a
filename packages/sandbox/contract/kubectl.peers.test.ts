import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@jibe/base";
import { peerProgram, runCommand, startKubernetes } from "@jibe/testkit/peers";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../src/index.ts";
import { type KubectlStep, normalizeOutput, wordsOf } from "./kubectl-output.ts";
import { kubectlSession } from "./kubectl-session.ts";
import { startRealKubernetes } from "./real-kubernetes.ts";
import { workloadsSession } from "./workloads-session.ts";

const scope = { signal: new AbortController().signal, log: silentLogger };

async function runSession(steps: readonly KubectlStep[], kubeconfig: string): Promise<string[]> {
  const program = await peerProgram("kubectl", scope);
  const cache = mkdtempSync(join(tmpdir(), "kubectl-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const path = join(cache, "kubeconfig");
  writeFileSync(path, kubeconfig);
  const outputs: string[] = [];
  for (const { args, stdin, env = {} } of steps) {
    const words = [`--kubeconfig=${path}`, `--cache-dir=${cache}`, ...wordsOf(args)];
    const options = { env, cwd: cache, ...(stdin === undefined ? {} : { stdin }) };
    const { exitCode, stdout, stderr } = await runCommand(program, words, options, scope);
    outputs.push(`$ kubectl ${args} (${exitCode})\n${normalizeOutput(stdout)}${normalizeOutput(stderr)}`);
  }
  return outputs;
}

test("an everyday session with kubectl looks the same on the sandbox and on a real cluster", async () => {
  await using kubernetes = await startRealKubernetes();
  await using sandbox = await startSandbox();
  const real = await runSession(kubectlSession, readFileSync(kubernetes.kubeconfig, "utf8"));
  const ours = await runSession(kubectlSession, sandbox.kubeconfig());
  expect(ours).toEqual(real);
});

test("a session with running workloads looks the same on the sandbox and on a real cluster", async () => {
  await using kubernetes = await startKubernetes({ controllerManager: true, scheduler: true, kwok: true }, scope);
  await using sandbox = await startSandbox({ simulateWorkloads: true });
  const real = await runSession(workloadsSession, readFileSync(kubernetes.kubeconfig, "utf8"));
  const ours = await runSession(workloadsSession, sandbox.kubeconfig());
  expect(ours).toEqual(real);
});
