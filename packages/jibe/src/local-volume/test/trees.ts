import { spawnSync } from "node:child_process";
import { chmod, link, mkdir, open, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Scope, silentLogger } from "@jibe/base";
import { sourceEntries } from "../source-entries.ts";

export const scope: Scope = { signal: new AbortController().signal, log: silentLogger };

/** Makes a folder that has one of everything. Gives what must be disposed: a listening socket lies in it. */
export async function makeRichTree(root: string): Promise<AsyncDisposable> {
  await mkdir(join(root, "a", "b", "empty"), { recursive: true });
  await writeFile(join(root, "a", "text"), "hello\n");
  await writeFile(join(root, "a", "zero"), "");
  await writeFile(join(root, "a", "allocated-zeros"), Buffer.alloc(300_000));
  await writeFile(join(root, "a", "b", "script"), "#!/bin/sh\n");
  await chmod(join(root, "a", "b", "script"), 0o4751);
  await writeFile(join(root, "ünïcode 🚢"), "name");
  await writeFile(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0xfe])]), "not text");
  await link(join(root, "a", "text"), join(root, "a", "b", "same-as-text"));
  await symlink("../a/text", join(root, "a", "relative-link"));
  await symlink("/nowhere/at/all", join(root, "dangling-link"));
  await symlink("a", join(root, "folder-link"));
  await makeSparse(join(root, "sparse"), 20 * 1024 * 1024);
  await utimes(join(root, "a", "text"), 1_000_000_000.25, 1_111_111_111.125);
  await chmod(join(root, "a", "b"), 0o2750);
  await utimes(join(root, "a", "b"), 1_000_000_000, 1_222_222_222);
  spawnSync("mkfifo", [join(root, "pipe")]);
  const server = createServer().listen(join(root, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** A file with content at its start and middle, and holes between and behind. */
async function makeSparse(path: string, size: number): Promise<void> {
  await writeFile(path, "start");
  await truncate(path, size);
  await using file = await open(path, "r+");
  await file.write(Buffer.from("middle"), 0, 6, size / 2);
}

/** One line for each thing in a folder: kind, name, permissions, owner, time, size, content or target. Pipes and sockets are left out. */
export async function describeTree(root: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const entry of sourceEntries(root, scope)) {
    if (entry.kind === "special") continue;
    const { stat } = entry;
    const mtime = stat.mtimeNs / 1000n; // copied to the microsecond
    const facts = [
      entry.kind,
      entry.path.toString("latin1"),
      (stat.mode & 0o7777n).toString(8),
      stat.uid,
      stat.gid,
      mtime,
    ];
    if (entry.kind === "link") facts.push(entry.target.toString());
    if (entry.kind === "file") {
      await using file = entry.file;
      const { createHash } = await import("node:crypto");
      facts.push(
        stat.size,
        stat.nlink,
        createHash("sha256")
          .update(await file.readFile())
          .digest("hex"),
      );
    }
    lines.push(facts.join(" "));
  }
  return lines;
}
