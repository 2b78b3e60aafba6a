import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { type CommandResult, runCommand } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startLocalRegistry } from "./local-registry.ts";

const root = new URL("../..", import.meta.url).pathname;
const nodeDir = dirname(process.execPath);

let dir: TempDir;
let home: string;
const scope = testScope();

async function run(program: string, args: readonly string[], cwd: string): Promise<CommandResult> {
  const path = [nodeDir, join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const result = await runCommand(program, args, { cwd, env: { PATH: path } }, scope);
  if (result.exitCode !== 0)
    throw new Error(`${program} ${args.join(" ")} failed:\n${result.stdout}\n${result.stderr}`);
  return result;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Record<string, unknown>;
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

let names: readonly string[];

beforeAll(async () => {
  dir = await tempDir("pack");
  home = join(dir.path, "home");
  const [built, tarballs] = [join(dir.path, "built"), join(dir.path, "tarballs")];
  for (const folder of [home, tarballs]) mkdirSync(folder);
  await run(process.execPath, ["scripts/build.ts", "--out", built], root);
  const packages = readdirSync(built).map((name) => join(built, name));
  names = packages.map((folder) => manifestIn(folder).name);
  await run("npm", ["pack", "--silent", "--pack-destination", tarballs, ...packages], dir.path);
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "new-home", type: "module", private: true }));
  await using registry = await startLocalRegistry([root, ...packageFolders()]);
  const files = readdirSync(tarballs).map((file) => join(tarballs, file));
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", `--cache=${join(dir.path, "cache")}`, "--registry"];
  await run("npm", ["install", ...flags, registry.url, ...files], home);
}, 240_000);

afterAll(async () => {
  scope[Symbol.dispose]();
  await dir?.[Symbol.asyncDispose]();
});

describe("the packed packages, installed together in an empty folder", () => {
  test("load, each by every path that it exports", async () => {
    const specifiers = names.flatMap((name) => {
      const { exports } = manifestIn(join(home, "node_modules", name));
      // A contract suite runs inside the author's test runner only.
      return Object.keys(exports).flatMap((path) => (path === "./verify" ? [] : [name + path.slice(1)]));
    });
    const program = specifiers.map((specifier) => `await import(${JSON.stringify(specifier)});`).join("\n");
    await run(process.execPath, ["--input-type=module", "-e", program], home);
    expect(specifiers).toContain("@jibe/plugin-sdk/contracts");
  });

  test("have types that a strict compiler takes", async () => {
    const uses = names.map((name, index) => `import * as package${index} from "${name}";\nvoid package${index};`);
    writeFileSync(join(home, "consumer.ts"), uses.join("\n"));
    const flags = [
      "--strict",
      "--noEmit",
      "--module",
      "nodenext",
      "--target",
      "esnext",
      "--skipLibCheck",
      "--types",
      "",
    ];
    await run("tsc", [...flags, "consumer.ts"], home);
  });

  test("bring a command that answers", async () => {
    const { stdout } = await run(join(home, "node_modules/.bin/jibe"), ["version", "--client-only"], home);
    expect(stdout).toContain(manifestIn(join(root, "packages/jibe")).version);
  });

  test("bring a quickstart that tells its story to the end", { timeout: 180_000 }, async () => {
    const { stdout } = await run(join(home, "node_modules/.bin/jibe"), ["quickstart"], home);
    expect(stdout).toContain("every object and every byte is back");
  });
});

function packageFolders(): readonly string[] {
  return readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));
}
