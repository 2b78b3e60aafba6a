/** Writes generated code anew, or with --check says which of it is stale: `npm run generate`. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runCommand } from "./run-command.ts";

interface Generator {
  readonly name: string;
  /** The file it writes, or the folder that holds nothing but its output, from the root. */
  readonly output: string;
  /** Writes the output below `outDir`, at the same path as below the root. */
  run(outDir: string): boolean;
}

/** Protobuf code for a package that has a buf.gen.yaml with `out: src/gen`. */
const protobuf = (packageDir: string): Generator => ({
  name: `protobuf code of ${packageDir}`,
  output: `${packageDir}/src/gen`,
  run: (outDir) => runCommand("buf", ["generate", "-o", join(outDir, packageDir)], { cwd: join(root, packageDir) }),
});

const reference: Generator = {
  name: "reference of the command line and the metrics",
  output: "docs/guide/reference.md",
  run: (outDir) => runCommand("node", ["scripts/write-reference.ts", join(outDir, "docs/guide/reference.md")]),
};

const generators: readonly Generator[] = [
  ...["packages/go-plugin", "packages/plugin-sdk"]
    .filter((dir) => existsSync(join(root, dir, "buf.gen.yaml")))
    .map(protobuf),
  reference,
];

const onlyCheck = process.argv.includes("--check");
const outDir = mkdtempSync(join(tmpdir(), "jibe-generate-"));
try {
  for (const generator of generators) if (!bringUpToDate(generator)) process.exitCode = 1;
} finally {
  rmSync(outDir, { recursive: true });
}

function bringUpToDate(generator: Generator): boolean {
  const [fresh, kept] = [join(outDir, generator.output), join(root, generator.output)];
  if (!generator.run(outDir)) return false;
  const stale = differences(fresh, kept);
  if (stale.length === 0) return true;
  if (!onlyCheck) {
    rmSync(kept, { recursive: true, force: true });
    cpSync(fresh, kept, { recursive: true });
    console.log(`${generator.name}: wrote ${stale.length} changed files`);
    return true;
  }
  for (const file of stale) console.error(`${join(generator.output, file)} is stale: run npm run generate`);
  return false;
}

function differences(fresh: string, kept: string): readonly string[] {
  const files = new Set([...filesOf(fresh), ...filesOf(kept)]);
  return [...files].filter((file) => contentOf(join(fresh, file)) !== contentOf(join(kept, file))).sort();
}

function filesOf(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  if (statSync(dir).isFile()) return [""];
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
