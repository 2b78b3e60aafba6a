import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loggerTo } from "@jibe/base";
import { peerProgram, runCommand } from "@jibe/testkit/peers";
import { expect, onTestFinished, test } from "vitest";
import { startRealKubernetes } from "../scripts/real-kubernetes.ts";
import { startSandbox } from "../src/index.ts";
import { kubectlSession, normalizeOutput } from "./kubectl-session.ts";

const scope = { signal: new AbortController().signal, log: loggerTo(() => {}) };

async function runSession(kubeconfig: string): Promise<string[]> {
  const program = await peerProgram("kubectl", scope);
  const cache = mkdtempSync(join(tmpdir(), "kubectl-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const path = join(cache, "kubeconfig");
  writeFileSync(path, kubeconfig);
  const outputs: string[] = [];
  for (const { args, stdin } of kubectlSession) {
    const words = args.split(" ").map((word) => (word.startsWith("--schedule=") ? word.replaceAll("_", " ") : word));
    const options = stdin === undefined ? {} : { stdin };
    const result = await runCommand(
      program,
      [`--kubeconfig=${path}`, `--cache-dir=${cache}`, ...words],
      options,
      scope,
    );
    outputs.push(
      `$ kubectl ${args} (${result.exitCode})\n${normalizeOutput(result.stdout)}${normalizeOutput(result.stderr)}`,
    );
  }
  return outputs;
}

test("an everyday session with kubectl looks the same on the sandbox and on a real cluster", async () => {
  await using kubernetes = await startRealKubernetes();
  await using sandbox = await startSandbox();
  const real = await runSession(kubernetes.kubeconfigText);
  const ours = await runSession(sandbox.kubeconfig());
  expect(ours).toEqual(real);
});
