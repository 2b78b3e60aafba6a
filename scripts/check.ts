/** Everything that must hold before a change goes in, tests apart: `npm run check`. */
import { runCommand } from "./run-command.ts";

const node = process.execPath;

const steps: readonly { readonly what: string; readonly command: readonly [string, ...string[]] }[] = [
  { what: "format and lint (npm run format mends most)", command: ["biome", "ci", "--diagnostic-level=warn", "."] },
  { what: "types", command: ["tsc", "-p", "tsconfig.json"] },
  { what: "dead code", command: ["knip", "--no-config-hints"] },
  { what: "generated code is up to date (npm run generate)", command: [node, "scripts/generate.ts", "--check"] },
  { what: "house rules", command: [node, "node_modules/vitest/vitest.mjs", "run", "tests/architecture.test.ts"] },
];

const failed = steps.filter(({ what, command: [program, ...args] }) => {
  console.log(`\n== ${what}`);
  return !runCommand(program, args);
});

for (const { what } of failed) console.error(`failed: ${what}`);
process.exitCode = failed.length === 0 ? 0 : 1;
