#!/usr/bin/env node
import type { ObjectStore } from "@jibe/engine";
import { objectStore, servePlugins } from "@jibe/plugin-sdk";
import { openFilesystemStore } from "../../../packages/jibe/src/object-store/filesystem/filesystem-store.ts";

// Keeps objects in a folder that a web server of the test gives out at STORE_URL, for whichever server runs the plugin.
let store: ObjectStore | undefined;
const files = () => {
  if (!store) throw new Error("used before init");
  return store;
};
const listed = async (keys: AsyncIterable<string>, bucket: string) =>
  (await Array.fromAsync(keys)).map((key) => key.slice(bucket.length + 1));

await servePlugins({
  "example.io/shared": objectStore({
    async init(config) {
      store = await openFilesystemStore({ root: config["root"] ?? "", bucket: "all", prefix: "", location: "" });
    },
    putObject: (bucket, key, body, scope) => files().put(`${bucket}/${key}`, () => body, scope),
    objectExists: (bucket, key, scope) => files().exists(`${bucket}/${key}`, scope),
    getObject: (bucket, key, scope) => files().get(`${bucket}/${key}`, scope),
    listCommonPrefixes: (bucket, _delimiter, prefix, scope) =>
      listed(files().listPrefixes(`${bucket}/${prefix}`, scope), bucket),
    listObjects: (bucket, prefix, scope) => listed(files().list(`${bucket}/${prefix}`, scope), bucket),
    deleteObject: (bucket, key, scope) => files().delete(`${bucket}/${key}`, scope),
    createSignedUrl: async (bucket, key) => `${process.env["STORE_URL"]}/all/${bucket}/${key}`,
  }),
});
