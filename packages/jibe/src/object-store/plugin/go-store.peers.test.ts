import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import { tempDir, testScope } from "@jibe/testkit";
import { buildGoProgram } from "@jibe/testkit/peers";
import { startPluginHost } from "../../plugin-host/index.ts";
import { openObjectStore } from "../open-object-store.ts";
import { type OpenedStore, verifyObjectStore } from "../verify-object-store.ts";

const plugins = join(import.meta.dirname, "../../../../testkit/go/velero-plugins");

/** A location whose store is a Go plugin on Velero's own framework. */
async function openGoStore(): Promise<OpenedStore & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const scope = stack.use(testScope());
  const folder = stack.use(await tempDir("go-store"));
  const [pluginDir, root] = [join(folder.path, "plugins"), join(folder.path, "objects")];
  await mkdir(pluginDir);
  await mkdir(root);
  await symlink(await buildGoProgram(plugins, scope), join(pluginDir, "velero-plugins"));
  const host = stack.use(await startPluginHost({ pluginDir, env: process.env }, scope));
  const run = stack.use(host.openRun({ log: scope.log }));
  const location = {
    name: "default",
    provider: "example.io/filesystem",
    bucket: "bucket",
    prefix: "",
    config: { root },
  };
  const findPlugin = (name: string) => run.objectStore(name);
  const store = stack.use(await openObjectStore(location, { clock: systemClock, findPlugin }, scope));
  return { ...store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

verifyObjectStore("a store in a Go plugin", openGoStore, {
  manyKeys: 100,
  streamBytes: 16 * 1024 * 1024,
  signedUrls: false,
});
