import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { startPluginHost } from "../../plugin-host/index.ts";
import { openObjectStore } from "../open-object-store.ts";
import { type OpenedStore, verifyObjectStore } from "../verify-object-store.ts";

const plugin = join(import.meta.dirname, "test", "files-plugin.ts");

/** A location whose store is a plugin in a process of its own. */
async function openThroughProcess(): Promise<
  OpenedStore & AsyncDisposable & { readonly pids: () => readonly number[] }
> {
  const stack = new AsyncDisposableStack();
  const scope = stack.use(testScope());
  const folder = stack.use(await tempDir("store-plugin"));
  const pluginDir = join(folder.path, "plugins");
  await mkdir(pluginDir);
  await symlink(plugin, join(pluginDir, "files-plugin.ts"));
  const host = stack.use(await startPluginHost({ pluginDir, env: process.env }, scope));
  const run = stack.use(host.openRun({ log: scope.log }));
  const location = {
    name: "default",
    provider: "example.io/files",
    bucket: "bucket",
    prefix: "prefix",
    config: { root: join(folder.path, "objects") },
  };
  const findPlugin = (name: string) => run.objectStore(name);
  const store = stack.use(await openObjectStore(location, { clock: systemClock, findPlugin }, scope));
  return { ...store, pids: () => run.pids(), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

verifyObjectStore("a store in a plugin process", openThroughProcess, {
  manyKeys: 300,
  streamBytes: 32 * 1024 * 1024,
});

test("a plugin process that dies is started and initialised again, and what was stored is still there", async () => {
  using scope = testScope();
  await using store = await openThroughProcess();
  await store.put("kept", async function* () {}, scope);
  const [pid = 0] = store.pids();
  process.kill(pid, "SIGKILL");
  expect(await store.exists("kept", scope)).toBe(true);
  expect(store.pids()).not.toContain(pid);
});
