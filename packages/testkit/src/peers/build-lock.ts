import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Scope, systemClock } from "@jibe/base";

/** Holds a lock file for this process until disposed. Waits while a living process has it; takes it from a dead one. */
export async function takeLock(file: string, scope: Scope): Promise<AsyncDisposable> {
  await mkdir(dirname(file), { recursive: true });
  for (let waited = false; ; waited = true) {
    scope.signal.throwIfAborted();
    if (await create(file)) return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
    const owner = Number(await readFile(file, "utf8").catch(() => ""));
    if (owner > 0 && !isAlive(owner)) {
      // Renaming first: of several that saw the dead owner, one moves this file and the others fail harmlessly.
      const stale = `${file}.${process.pid}`;
      await rename(file, stale).catch(() => {});
      await rm(stale, { force: true });
      continue;
    }
    if (!waited) scope.log.info("waiting for another process that builds", { pid: owner });
    await systemClock.sleep(500, scope);
  }
}

async function create(file: string): Promise<boolean> {
  try {
    await using handle = await open(file, "wx");
    await handle.writeFile(String(process.pid));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
