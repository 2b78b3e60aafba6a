import { join } from "node:path";
import { testScope } from "@jibe/testkit";
import { buildGoProgram } from "@jibe/testkit/peers";
import { verifyObjectStore } from "../verify-object-store.ts";
import { openPluginStore } from "./test/open-plugin-store.ts";

const plugins = join(import.meta.dirname, "../../../../testkit/go/velero-plugins");

/** A location whose store is a Go plugin on Velero's own framework. */
async function openGoStore() {
  using scope = testScope();
  const program = await buildGoProgram(plugins, scope);
  return await openPluginStore(program, { provider: "example.io/filesystem", bucket: "bucket" }, (root) => ({ root }));
}

verifyObjectStore("a store in a Go plugin", openGoStore, {
  manyKeys: 100,
  streamBytes: 16 * 1024 * 1024,
  signedUrls: false,
});
