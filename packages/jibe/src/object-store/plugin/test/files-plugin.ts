#!/usr/bin/env node
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret, silentLogger, systemClock } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { objectStore, servePlugins } from "@jibe/plugin-sdk";
import { openFilesystemStore } from "../../filesystem/filesystem-store.ts";
import { serveObjects } from "../../filesystem/serve-objects.ts";
import { createUrlSigner } from "../../filesystem/url-signer.ts";

// A plugin that keeps objects in files, so that the contract suite can be run across a process.
let store: ObjectStore | undefined;
const files = () => {
  if (!store) throw new Error("used before init");
  return store;
};
const scope = { signal: new AbortController().signal, log: silentLogger };
const handle = { current: undefined as ReturnType<typeof serveObjects> | undefined };
const server = createServer((request, response) => void handle.current?.(request, response, scope));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
server.unref();
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const signer = createUrlSigner({ secret: new Secret("plugin"), baseUrl, clock: systemClock });
handle.current = serveObjects({ signer, openLocation: async () => files() });

await servePlugins({
  "example.io/files": objectStore({
    async init(config) {
      store = await openFilesystemStore({
        root: config["root"] ?? "",
        bucket: "all",
        prefix: "",
        location: "",
        signer,
      });
    },
    putObject: (bucket, key, body, scope) => files().put(`${bucket}/${key}`, () => body, scope),
    objectExists: (bucket, key, scope) => files().exists(`${bucket}/${key}`, scope),
    getObject: (bucket, key, scope) => files().get(`${bucket}/${key}`, scope),
    listCommonPrefixes: async (bucket, _delimiter, prefix, scope) => {
      const found = await Array.fromAsync(files().listPrefixes(`${bucket}/${prefix}`, scope));
      return found.map((key) => key.slice(bucket.length + 1));
    },
    listObjects: async (bucket, prefix, scope) => {
      const found = await Array.fromAsync(files().list(`${bucket}/${prefix}`, scope));
      return found.map((key) => key.slice(bucket.length + 1));
    },
    deleteObject: (bucket, key, scope) => files().delete(`${bucket}/${key}`, scope),
    createSignedUrl: (bucket, key, ttlMs, scope) => files().signedUrl(`${bucket}/${key}`, ttlMs, scope),
  }),
});
