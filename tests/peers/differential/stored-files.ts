import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { parseJson } from "@jibe/base";
import { tempDir } from "@jibe/testkit";

const run = promisify(execFile);

/** Files by name; JSON is parsed so that numbers keep their text, other content is text. */
export type Files = ReadonlyMap<string, unknown>;

/** Everything that a server stored for one backup: its archive's entries under `archive/`, and its side files. */
export async function readStoredBackup(bucketDir: string, name: string): Promise<Files> {
  const dir = join(bucketDir, "backups", name);
  return new Map([...(await readSideFiles(dir, name)), ...(await readArchive(join(dir, `${name}.tar.gz`)))]);
}

/** Everything that a server stored for one restore. */
export async function readStoredRestore(bucketDir: string, name: string): Promise<Files> {
  return readSideFiles(join(bucketDir, "restores", name), name);
}

// The archive is read apart, logs are prose, and the ledger is jibe's own.
const notCompared = /(\.tar\.gz|-logs\.gz|-ledger\.jsonl\.gz)$/;

async function readSideFiles(dir: string, name: string): Promise<Files> {
  if (!existsSync(dir)) return new Map();
  const files = (await readdir(dir)).filter((file) => !notCompared.test(file));
  const entries = files.map(async (file) => {
    const bytes = await readFile(join(dir, file));
    const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    return [file.replace(name, "NAME"), parseJson(text)] as const;
  });
  return new Map((await Promise.all(entries)).sort());
}

/** In the archive's order. Unpacked by the system's tar: an opinion of its own on what we write. */
async function readArchive(file: string): Promise<Files> {
  if (!existsSync(file)) return new Map();
  await using dir = await tempDir("archive");
  const root = join(dir.path, "archive");
  await mkdir(root);
  const { stdout } = await run("tar", ["-xzvf", file, "-C", root], { maxBuffer: 64 * 2 ** 20 });
  const paths = stdout.split("\n").filter((path) => path !== "" && !path.endsWith("/"));
  const contents = paths.map(async (path) => {
    const text = await readFile(join(root, path), "utf8");
    return [join("archive", path), path.endsWith(".json") ? parseJson(text) : text] as const;
  });
  return new Map(await Promise.all(contents));
}
