import { readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Scope, systemClock } from "@jibe/base";
import { goModulesDir } from "./environment.ts";
import { exists, goBuild, runGo } from "./go-build.ts";
import { type PeerName, type PeerProgram, peerPrograms } from "./peer-programs.ts";

/** The path of a peer's program; it is built first when the cache does not have this version. */
export async function peerProgram(name: PeerName, scope: Scope): Promise<string> {
  const { module, assets, ...build }: PeerProgram = peerPrograms[name];
  const dir = join(goModulesDir, module);
  const program = await goBuild({ name, dir, ...build }, scope);
  if (assets && !(await exists(assetsFile(program)))) await copyAssets({ program, dir, assets }, scope);
  return program;
}

/** The YAML documents that a program needs when it runs. */
export function assetsFile(program: string): string {
  return `${program}.yaml`;
}

async function copyAssets(
  { program, dir, assets }: { program: string; dir: string; assets: NonNullable<PeerProgram["assets"]> },
  scope: Scope,
): Promise<void> {
  const source = (await runGo(["list", "-m", "-f", "{{.Dir}}", assets.ofModule], dir, scope)).trim();
  const documents = await Promise.all(assets.files.map((file) => readFile(join(source, file), "utf8")));
  const unfinished = `${assetsFile(program)}.${process.pid}`;
  await writeFile(unfinished, documents.join("\n---\n"));
  await rename(unfinished, assetsFile(program));
}

/** Go programs of the repository that tests run, so that no test has to wait for a first build. */
const testPrograms = [
  "velero-plugins",
  "../../plugin-sdk/test/go/velero-peer",
  "../../plugin-sdk/test/go/snapshotter-v2",
  "../../go-plugin/test/go/echo",
];

/** Builds every peer and test program that is missing, one after the other, and says how it goes. */
export async function buildPeers(say: (line: string) => void, scope: Scope): Promise<void> {
  const builds: readonly (readonly [string, () => Promise<string>])[] = [
    ...(Object.keys(peerPrograms) as PeerName[]).map((name) => [name, () => peerProgram(name, scope)] as const),
    ...testPrograms.map((dir) => [basename(dir), () => buildGoProgram(join(goModulesDir, dir), scope)] as const),
  ];
  for (const [index, [name, build]] of builds.entries()) {
    const began = systemClock.monotonicMs();
    const place = `[${index + 1}/${builds.length}] ${name}`;
    say(`${place} …`);
    const program = await build();
    const seconds = (systemClock.monotonicMs() - began) / 1000;
    say(`${place} ${seconds < 1 ? "is ready" : `built in ${seconds.toFixed(0)} s`}: ${program}`);
  }
}

/** Builds a Go program of the repository (a folder with its own go.mod and a main package) and returns its path. */
export async function buildGoProgram(dir: string, scope: Scope): Promise<string> {
  const folder = resolve(dir);
  return goBuild({ name: basename(folder), dir: folder, goPackage: "." }, scope);
}
