/**
 * Records what a real API server answers to the contract's cases:
 *   node packages/sandbox/contract/record.ts [area…]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@jibe/base";
import { areas } from "./cases/index.ts";
import { startRealKubernetes } from "./real-kubernetes.ts";
import { runCase } from "./run-case.ts";

const wanted = process.argv.slice(2);
await using kubernetes = await startRealKubernetes();
for (const [area, cases] of Object.entries(areas)) {
  if (wanted.length > 0 && !wanted.includes(area)) continue;
  const recorded: Record<string, unknown> = {};
  for (const [name, steps] of Object.entries(cases)) {
    try {
      recorded[name] = await runCase(kubernetes, steps);
    } catch (error) {
      process.stderr.write(`${area}: ${name}: ${messageOf(error)}\n`);
      process.exitCode = 1;
    }
  }
  const lines = Object.entries(recorded).map(
    ([name, outcomes]) => `${JSON.stringify(name)}: ${JSON.stringify(outcomes)}`,
  );
  writeFileSync(join(import.meta.dirname, `fixtures/${area}.json`), `{\n${lines.join(",\n")}\n}\n`);
  process.stdout.write(`${area}: ${Object.keys(recorded).length} cases\n`);
}
