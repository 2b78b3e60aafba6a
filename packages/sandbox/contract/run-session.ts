import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { tempDir } from "@jibe/testkit";
import { type Kubernetes, type PeerName, peerProgram, runCommand } from "@jibe/testkit/peers";
import { expect } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { normalizeOutput, type SessionStep, wordsOf } from "./session-step.ts";

/** Runs a session of commands on both clusters, each in order; what they print must be the same. */
export async function expectSameSession(
  { program, steps }: { readonly program: PeerName; readonly steps: readonly SessionStep[] },
  { real, sandbox }: { readonly real: Kubernetes; readonly sandbox: Sandbox },
  scope: Scope,
): Promise<void> {
  const path = await peerProgram(program, scope);
  const run = (kubeconfig: string) => runSession({ name: program, path, steps, kubeconfig }, scope);
  const [wanted, found] = await Promise.all([run(readFileSync(real.kubeconfig, "utf8")), run(sandbox.kubeconfig())]);
  expect(found).toEqual(wanted);
}

interface Session {
  readonly name: string;
  readonly path: string;
  readonly steps: readonly SessionStep[];
  readonly kubeconfig: string;
}

async function runSession({ name, path, steps, kubeconfig }: Session, scope: Scope): Promise<string[]> {
  await using home = await tempDir("session");
  const file = join(home.path, "kubeconfig");
  writeFileSync(file, kubeconfig);
  const outputs: string[] = [];
  for (const { args, stdin, env } of steps) {
    const options = {
      cwd: home.path,
      env: { HOME: home.path, KUBECONFIG: file, ...env },
      ...(stdin === undefined ? {} : { stdin }),
    };
    const { exitCode, stdout, stderr } = await runCommand(path, wordsOf(args), options, scope);
    outputs.push(`$ ${name} ${args} (${exitCode})\n${normalizeOutput(stdout)}${normalizeOutput(stderr)}`);
  }
  return outputs;
}
