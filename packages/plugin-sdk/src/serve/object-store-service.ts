import { type GrpcService, grpcService } from "@jibe/go-plugin";
import { ObjectStore } from "../gen/generated/object_store_pb.ts";
import { nsPerMs, splitChunks } from "../wire/chunks.ts";
import type { ServedPlugins } from "./served-plugins.ts";

export function objectStoreService(plugins: ServedPlugins): GrpcService {
  const find = (name: string) => plugins.find("ObjectStore", name);
  return grpcService(ObjectStore, {
    async init({ plugin, config }, call) {
      await find(plugin).init(config, plugins.scope(plugin, call));
      return {};
    },
    async putObject(requests, call) {
      const messages = requests[Symbol.asyncIterator]();
      const first = await messages.next();
      const { plugin, bucket, key } = first.done ? { plugin: "", bucket: "", key: "" } : first.value;
      let ended = first.done === true;
      const body = async function* () {
        if (!first.done && first.value.body.length > 0) yield first.value.body;
        while (!ended) {
          const next = await messages.next();
          call.signal.throwIfAborted(); // what a host gave up must not pass for the whole
          if (next.done) ended = true;
          else if (next.value.body.length > 0) yield next.value.body;
        }
      };
      try {
        await find(plugin).putObject(bucket, key, body(), plugins.scope(plugin, call));
      } finally {
        // A host that is still sending would see a broken stream instead of our error.
        while (!ended && !call.signal.aborted) ended = (await messages.next()).done === true;
      }
      return {};
    },
    async objectExists({ plugin, bucket, key }, call) {
      return { exists: await find(plugin).objectExists(bucket, key, plugins.scope(plugin, call)) };
    },
    async *getObject({ plugin, bucket, key }, call) {
      const body = find(plugin).getObject(bucket, key, plugins.scope(plugin, call));
      for await (const data of splitChunks(body)) yield { data };
    },
    async listCommonPrefixes({ plugin, bucket, delimiter, prefix }, call) {
      const scope = plugins.scope(plugin, call);
      return { prefixes: await find(plugin).listCommonPrefixes(bucket, delimiter, prefix, scope) };
    },
    async listObjects({ plugin, bucket, prefix }, call) {
      return { keys: await find(plugin).listObjects(bucket, prefix, plugins.scope(plugin, call)) };
    },
    async deleteObject({ plugin, bucket, key }, call) {
      await find(plugin).deleteObject(bucket, key, plugins.scope(plugin, call));
      return {};
    },
    async createSignedURL({ plugin, bucket, key, ttl }, call) {
      const ttlMs = Number(ttl / nsPerMs);
      return { url: await find(plugin).createSignedUrl(bucket, key, ttlMs, plugins.scope(plugin, call)) };
    },
  });
}
