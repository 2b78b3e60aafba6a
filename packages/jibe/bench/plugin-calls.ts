import { symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Clock, type Scope, systemClock } from "@jibe/base";
import { bodyFromBytes } from "@jibe/engine";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { tempDir } from "@jibe/testkit";
import { buildGoProgram, runCommand } from "@jibe/testkit/peers";
import { startPluginHost } from "../src/plugin-host/index.ts";

/** Calls per second of `execute` on the same no-op action in Go, through our host and through one in Go. */
export interface PluginCallsResult {
  readonly inFlight: number;
  readonly calls: number;
  readonly oursPerSecond: number;
  readonly goPerSecond: number;
  /** Ours as a share of Go's. */
  readonly ratio: number;
}

const peer = join(import.meta.dirname, "../../plugin-sdk/test/go/velero-peer");

// The same texts as in the Go host, so that both carry the same bytes.
const item = Buffer.from(
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop","labels":{"app":"shop"}},"data":{"greeting":"hello","size":"large","colour":"blue"}}',
);
const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "daily", namespace: "velero" },
  spec: { ttl: "720h0m0s" },
  status: { phase: "InProgress" },
};

/** Measures both hosts in turn, one call at a time and 32 at once, `rounds` times each; the best round counts. */
export async function benchPluginCalls(
  {
    calls = 20_000,
    rounds = 3,
    env,
    clock = systemClock,
  }: {
    readonly calls?: number;
    readonly rounds?: number;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly clock?: Clock;
  },
  scope: Scope,
): Promise<readonly PluginCallsResult[]> {
  const program = await buildGoProgram(peer, scope);
  await using dir = await tempDir("plugin-calls");
  await symlink(program, join(dir.path, basename(program)));
  await using host = await startPluginHost({ pluginDir: dir.path, env, clock }, scope);
  const results: PluginCallsResult[] = [];
  for (const inFlight of [1, 32]) {
    let [ours, go] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < rounds; round++) {
      await using run = host.openRun({ log: scope.log });
      const action = (await run.backupActions()).find(({ name }) => name === "example.io/no-op");
      if (!action) throw new Error("the no-op action is missing");
      const body = bodyFromBytes(item);
      const callAll = async (count: number) => {
        let left = count;
        const worker = async () => {
          while (left-- > 0) await action.execute(body, backup, scope);
        };
        await Promise.all(Array.from({ length: inFlight }, worker));
      };
      await callAll(calls / 2); // until the code is hot, as it is in any backup worth measuring
      const began = clock.monotonicMs();
      await callAll(calls);
      ours = Math.min(ours, (clock.monotonicMs() - began) / 1000);
      const goRun = await runCommand(program, ["bench", program, String(calls), String(inFlight)], {}, scope);
      go = Math.min(go, Number(goRun.stdout));
    }
    const [oursPerSecond, goPerSecond] = [calls / ours, calls / go];
    results.push({ inFlight, calls, oursPerSecond, goPerSecond, ratio: oursPerSecond / goPerSecond });
  }
  return results;
}
