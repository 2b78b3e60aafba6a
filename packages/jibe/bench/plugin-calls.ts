import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type Clock, type Scope, systemClock } from "@jibe/base";
import { bodyFromBytes } from "@jibe/engine";
import type { Backup } from "@jibe/plugin-sdk/contracts";
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

/** The Go program that is both the plugin and the other host; the caller builds it. */
export const pluginCallsPeer = join(import.meta.dirname, "../../plugin-sdk/test/go/velero-peer");

const run = promisify(execFile);

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
    program,
    calls = 20_000,
    rounds = 3,
    env,
    clock = systemClock,
  }: {
    /** `pluginCallsPeer`, built. */
    readonly program: string;
    readonly calls?: number;
    readonly rounds?: number;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly clock?: Clock;
  },
  scope: Scope,
): Promise<readonly PluginCallsResult[]> {
  const pluginDir = await mkdtemp(join(tmpdir(), "plugin-calls-"));
  await using _removed = { [Symbol.asyncDispose]: () => rm(pluginDir, { recursive: true }) };
  await symlink(program, join(pluginDir, basename(program)));
  await using host = await startPluginHost({ pluginDir, env, clock }, scope);
  const results: PluginCallsResult[] = [];
  for (const inFlight of [1, 32]) {
    let [ours, go] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < rounds; round++) {
      await using plugins = host.openRun({ log: scope.log });
      const action = (await plugins.backupActions()).find(({ name }) => name === "example.io/no-op");
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
      const { stdout } = await run(program, ["bench", program, String(calls), String(inFlight)]);
      go = Math.min(go, Number(stdout));
    }
    const [oursPerSecond, goPerSecond] = [calls / ours, calls / go];
    results.push({ inFlight, calls, oursPerSecond, goPerSecond, ratio: oursPerSecond / goPerSecond });
  }
  return results;
}
