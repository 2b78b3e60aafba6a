import { mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { systemClock } from "@jibe/base";
import { tempDir, testScope } from "@jibe/testkit";
import { startPluginHost } from "../../../plugin-host/index.ts";
import { type ObjectStoreLocation, type OpenObjectStore, openObjectStore } from "../../open-object-store.ts";

export interface PluginStore extends OpenObjectStore {
  /** The plugin's processes that run now. */
  pids(): readonly number[];
}

/** A location whose store is a plugin in a process of its own; `configure` is given an empty folder. */
export async function openPluginStore(
  program: string,
  location: Omit<ObjectStoreLocation, "name" | "config">,
  configure: (folder: string) => Record<string, string>,
): Promise<PluginStore> {
  await using stack = new AsyncDisposableStack();
  const scope = stack.use(testScope());
  const folder = stack.use(await tempDir("plugin-store"));
  const [pluginDir, objects] = [join(folder.path, "plugins"), join(folder.path, "objects")];
  await mkdir(pluginDir);
  await mkdir(objects);
  await symlink(program, join(pluginDir, basename(program)));
  const host = stack.use(await startPluginHost({ pluginDir, env: process.env }, scope));
  const run = stack.use(host.openRun({ log: scope.log }));
  const findPlugin = (name: string) => run.objectStore(name);
  const whole = { ...location, name: "default", config: configure(objects) };
  const store = stack.use(await openObjectStore(whole, { clock: systemClock, findPlugin }, scope));
  const owned = stack.move();
  return { ...store, pids: () => run.pids(), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
