import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { type CommandResult, runCommand } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

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
  readonly exports: Record<string, unknown>;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Puts the installed copy of a foreign package and all it needs below `home`, so that npm has nothing to fetch. */
function provide(name: string, from: string, done = new Set<string>()): void {
  const places = [join(from, "node_modules", name), join(root, "node_modules", name)];
  const source = places.find((place) => existsSync(place));
  if (source === undefined || done.has(source)) return; // an optional package for another platform
  done.add(source);
  cpSync(source, join(home, source.slice(root.length)), { recursive: true });
  const { dependencies, optionalDependencies } = manifestIn(source);
  for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) provide(next, source, done);
}

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
  for (const folder of packages) {
    for (const dependency of Object.keys(manifestIn(folder).dependencies ?? {})) {
      if (!names.includes(dependency)) provide(dependency, join(root, "packages", folder.slice(built.length + 1)));
    }
  }
  const files = readdirSync(tarballs).map((file) => join(tarballs, file));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", ...files], home);
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
    expect(stdout).toContain(manifestVersion());
  });
});

function manifestVersion(): string {
  const text = readFileSync(join(root, "packages/jibe/package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
