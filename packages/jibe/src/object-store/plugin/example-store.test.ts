import { join } from "node:path";
import { verifyObjectStore } from "../verify-object-store.ts";
import { openPluginStore } from "./test/open-plugin-store.ts";

const plugin = join(import.meta.dirname, "../../../../../examples/plugins/complete/plugin.ts");

verifyObjectStore(
  "the example plugin's store",
  () => openPluginStore(plugin, { provider: "example.io/folder-store", bucket: "bucket" }, (root) => ({ root })),
  { manyKeys: 100, streamBytes: 16 * 1024 * 1024, signedUrls: false },
);
