/**
 * Builds what is published: each package as JavaScript and types with a package.json of its own, ready for `npm pack`.
 *   npm run build                   into packages/<name>/dist
 *   node scripts/build.ts --out DIR into DIR/<name>
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { root, runCommand } from "./run-command.ts";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const fileName = /(\bfrom |\bimport |\bimport\(|\bnew URL\()"(\.{1,2}\/[^"\n]+?)(?<!\.d)\.ts"/g;

const { values } = parseArgs({ options: { out: { type: "string" } } });
const packages = readdirSync(join(root, "packages")).filter((name) => isPublished(name));
const work = mkdtempSync(join(tmpdir(), "jibe-build-"));
try {
  if (!compile(work)) process.exitCode = 1;
  else for (const name of packages) assemble(name, values.out === undefined ? undefined : join(values.out, name));
} finally {
  rmSync(work, { recursive: true });
}

function isPublished(name: string): boolean {
  return existsSync(join(root, "packages", name, "package.json")) && manifestOf(name).private !== true;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest;
}

/** One run for all packages, so that they see one another's sources. */
function compile(outDir: string): boolean {
  const project = join(outDir, "tsconfig.json");
  const tsconfig = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      rootDir: join(root, "packages"),
      outDir: join(outDir, "packages"),
      declaration: true,
      typeRoots: [join(root, "node_modules", "@types")],
    },
    include: packages.map((name) => join(root, "packages", name, "src")),
    exclude: ["**/*.test.ts", "**/node_modules", "**/dist", "**/fixtures"].map((pattern) => join(root, pattern)),
  };
  writeFileSync(project, JSON.stringify(tsconfig));
  return runCommand("tsc", ["-p", project]);
}

function assemble(name: string, out = join(root, "packages", name, "dist")): void {
  const source = join(root, "packages", name);
  rmSync(out, { recursive: true, force: true });
  cpSync(join(work, "packages", name), out, { recursive: true });
  for (const dir of ["src", "bin"]) {
    if (existsSync(join(source, dir))) cpSync(join(source, dir), join(out, dir), { recursive: true, filter: isAsset });
  }
  for (const file of [join(source, "README.md"), join(root, "LICENSE")]) {
    if (existsSync(file)) cpSync(file, join(out, basename(file)));
  }
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(js|d\.ts)$/.test(entry.name)) pointAtBuilt(join(entry.parentPath, entry.name));
  }
  for (const entry of readdirSync(join(source, "src"), { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith(".ts")) keepExecutable(join(entry.parentPath, entry.name), source, out);
  }
  writeFileSync(join(out, "package.json"), `${JSON.stringify(builtManifest(manifestOf(name)), null, 2)}\n`);
  console.log(`built ${name} in ${out}`);
}

/** What is not compiled is copied: JSON, YAML, pages, programs in JavaScript. */
function isAsset(file: string): boolean {
  return !/\.ts$/.test(file) && !/\/(fixtures|node_modules)$/.test(file);
}

/** The compiler leaves the names of TypeScript files in declarations, in `new URL` and in programs it did not see. */
function pointAtBuilt(file: string): void {
  const text = readFileSync(file, "utf8");
  const changed = text.replace(fileName, '$1"$2.js"');
  if (changed !== text) writeFileSync(file, changed);
}

/** The compiler forgets which files are programs. */
function keepExecutable(file: string, source: string, out: string): void {
  const built = join(out, relative(source, file)).replace(/\.ts$/, ".js");
  if ((statSync(file).mode & 0o111) !== 0 && existsSync(built)) chmodSync(built, 0o755);
}

function builtManifest({ files: _files, exports, ...manifest }: Manifest): Record<string, unknown> {
  const built = Object.entries(exports).map(([path, file]) => {
    const stem = file.replace(/\.ts$/, "");
    return [path, file.endsWith(".ts") ? { types: `${stem}.d.ts`, default: `${stem}.js` } : file];
  });
  return { ...manifest, exports: Object.fromEntries(built) };
}
