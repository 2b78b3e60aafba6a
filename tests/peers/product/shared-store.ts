import { mkdir, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { serveFolder } from "./folder-server.ts";

/** A store that servers reach through a plugin, and command lines through a web server. */
export interface SharedStore extends AsyncDisposable {
  readonly root: string;
  readonly pluginDir: string;
  /** For servers, and so for their plugins. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startSharedStore(dir: string): Promise<SharedStore> {
  const [pluginDir, root] = [join(dir, "plugins"), join(dir, "shared")];
  await mkdir(pluginDir);
  await mkdir(join(root, "all"), { recursive: true });
  await symlink(join(import.meta.dirname, "shared-store-plugin.ts"), join(pluginDir, "shared-store"));
  const files = await serveFolder(root);
  const env = { STORE_URL: files.url, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };
  return { root, pluginDir, env, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() };
}
