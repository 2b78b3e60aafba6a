/** Runs the tests of one tier: those that need Node alone, or with --peers those that need the real peers. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const peers = args.includes("--peers");
const full = args.includes("--full");
const rest = args.filter((arg) => arg !== "--peers" && arg !== "--full");

if (peers) run(process.execPath, ["packages/testkit/src/peers/main.ts", "build"], {});
run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...rest], {
  JIBE_TIER: peers ? "peers" : "node",
  JIBE_FULL: full ? "1" : "",
});

function run(command: string, parameters: readonly string[], env: Record<string, string>): void {
  const { status, signal, error } = spawnSync(command, parameters, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (error) console.error(`cannot run ${command}: ${error.message}`);
  if (status !== 0 || signal) process.exit(status ?? 1);
}
