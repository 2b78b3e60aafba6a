import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";

/** The executables below a folder, in the order of their names. Other files are passed over with a warning. */
export async function findExecutables(dir: string, scope: Scope): Promise<readonly string[]> {
  const found: string[] = [];
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new AppError("Unavailable", `cannot read plugin folder ${dir}`, { cause: error });
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    scope.signal.throwIfAborted();
    const path = join(dir, entry.name);
    if (entry.isDirectory()) found.push(...(await findExecutables(path, scope)));
    else if (await isExecutable(path)) found.push(path);
    else scope.log.warn("file in the plugin folder is not executable", { file: path });
  }
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const info = await stat(path);
    return info.isFile() && ((info.mode & 0o111) !== 0 || path.toLowerCase().endsWith(".exe"));
  } catch {
    return false; // a link that leads nowhere
  }
}
