import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

/** What a process loads that imports one entry of this package, as addresses of files; Node's own modules are left out. */
async function loadedBy(entry: string): Promise<string[]> {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(entry)});
    console.log(loaded.filter((url) => url.startsWith("file:")).join("\\n"));`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return stdout.trim().split("\n");
}

test("the contracts load no gRPC, and nothing else of the package", async () => {
  const loaded = await loadedBy(`${packageJson.name}/contracts`);
  expect(loaded.filter((url) => !url.includes("/plugin-sdk/src/contracts/"))).toEqual([]);
  expect((await loadedBy(packageJson.name)).some((url) => url.includes("@grpc/grpc-js"))).toBe(true);
});

test("an author gets two runtime dependencies at most besides go-plugin, and no range of versions", () => {
  const { "@jibe/go-plugin": _, ...others } = packageJson.dependencies;
  expect(Object.keys(others).length).toBeLessThanOrEqual(2);
  expect(Object.values(others).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
