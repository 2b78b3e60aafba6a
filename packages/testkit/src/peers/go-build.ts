import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { takeLock } from "./build-lock.ts";
import { inheritedEnv, peersCacheDir } from "./environment.ts";

export interface GoBuild {
  /** The program's name in the cache. */
  readonly name: string;
  /** The folder of its go.mod. */
  readonly dir: string;
  readonly goPackage: string;
  readonly linkerVariables?: Readonly<Record<string, string>>;
}

/**
 * Builds a Go program into the cache, unless this very version is there: its folder's name has a hash of the module's
 * sources, its go.mod and go.sum, and the flags. Processes that want the same program build it once.
 */
export async function goBuild(build: GoBuild, scope: Scope): Promise<string> {
  const program = await cachedProgram(build);
  if (await exists(program)) return program;
  await using _lock = await takeLock(join(peersCacheDir(), "build.lock"), scope);
  if (await exists(program)) return program;
  scope.log.info("building", { program: build.name });
  const unfinished = `${program}.${process.pid}`;
  try {
    await runGo(["build", ...buildFlags(build), "-o", unfinished, build.goPackage], build.dir, scope);
    await rename(unfinished, program);
  } finally {
    await rm(unfinished, { force: true });
  }
  return program;
}

/** Where the program is, or would be, in the cache. */
export async function cachedProgram(build: GoBuild): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([build.goPackage, buildFlags(build), process.arch]));
  for (const file of await sourceFiles(build.dir))
    hash.update(`\n${file}\n`).update(await readFile(join(build.dir, file)));
  // The folder has the hash and the file the plain name: some programs tell the API server theirs.
  const program = join(peersCacheDir(), `${build.name}-${hash.digest("hex").slice(0, 12)}`, build.name);
  await mkdir(dirname(program), { recursive: true });
  return program;
}

/** Runs the go command and returns what it printed. Its failure has its last lines. */
export async function runGo(args: readonly string[], cwd: string, scope: Scope): Promise<string> {
  const child = spawn("go", args, { cwd, env: inheritedEnv({ GOFLAGS: "-buildvcs=false" }), signal: scope.signal });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (cause) => reject(scope.signal.aborted ? scope.signal.reason : goMissing(cause)));
    child.once("close", resolve);
  });
  scope.signal.throwIfAborted();
  if (status === 0) return stdout;
  const tail = stderr.trim().split("\n").slice(-20).join("\n");
  throw new AppError("Internal", `go ${args[0]} failed in ${cwd}:\n${tail}`, { fields: { status } });
}

function goMissing(cause: Error): AppError {
  const text = "cannot run go: the real peers are built from Go modules; install Go 1.26 or newer (https://go.dev/dl)";
  return new AppError("Unavailable", text, { cause });
}

function buildFlags({ linkerVariables = {} }: GoBuild): readonly string[] {
  const variables = Object.entries(linkerVariables).map(([name, value]) => `-X ${name}=${value}`);
  return ["-trimpath", "-ldflags", ["-s", "-w", ...variables].join(" ")];
}

async function sourceFiles(dir: string): Promise<readonly string[]> {
  const files = await readdir(dir, { recursive: true });
  return files.filter((file) => /(\.go|^go\.(mod|sum))$/.test(file) && !file.endsWith("_test.go")).sort();
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
