import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { plantedBugs } from "./planted-bugs.ts";

const main = join(import.meta.dirname, "main.ts");
const seeds = process.env["JIBE_FULL"] === "1" ? 20_000 : 300;

/** The simulation needs a process of its own. Its exit code says whether all went well. */
async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  }
}

describe("the simulation", { timeout: 7_200_000 }, () => {
  test(`finds nothing wrong in ${seeds} seeds, and reaches every fault and every phase`, async () => {
    const { code, out } = await run("--seeds", String(seeds));
    expect(out).toContain(`${seeds} seeds, 0 with violations`);
    expect(out).not.toMatch(/NOT REACHED|UNKNOWN/);
    expect(code).toBe(0);
  });

  test("replays a seed exactly", async () => {
    const [first, second] = await Promise.all([run("--seed", "12"), run("--seed", "12")]);
    expect(first.out).toMatch(/^trace [0-9a-f]{64}$/m);
    expect(second.out).toBe(first.out);
  });

  for (const bug of plantedBugs) {
    test(`finds a planted bug: ${bug}`, async () => {
      const { code, out } = await run("--seeds", "60", "--plant", bug);
      expect(out).toContain("VIOLATION");
      expect(code).toBe(1);
    });
  }
});
