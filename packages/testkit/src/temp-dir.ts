import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own that is gone, with all in it, when disposed. */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
}

/** Makes a temporary folder; `name` is part of its name, so that a leftover says whose it was. */
export async function tempDir(name = "test"): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), `jibe-${name}-`));
  return {
    path,
    // Retries cover a process that was told to end and is still writing.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}
