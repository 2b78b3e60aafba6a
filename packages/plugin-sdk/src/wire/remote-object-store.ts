import { AppError, hasCode } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { ObjectStore } from "../contracts/index.ts";
import { ObjectStore as Service } from "../gen/generated/object_store_pb.ts";
import { nsPerMs, splitChunks } from "./chunks.ts";
import { missingObjectError } from "./grpc-error.ts";

/** An ObjectStore at the end of a connection. */
export function remoteObjectStore(channel: GrpcChannel, plugin: string): ObjectStore {
  const { method } = Service;
  return {
    async init(config, scope) {
      await channel.unary(method.init, { plugin, config: { ...config } }, scope);
    },
    async putObject(bucket, key, body, scope) {
      const sent = { whole: false };
      await channel.clientStream(method.putObject, putRequests({ plugin, bucket, key }, body, sent), scope);
      if (!sent.whole) throw new AppError("DataLoss", `the plugin answered before it had the whole object ${key}`);
    },
    async objectExists(bucket, key, scope) {
      return (await channel.unary(method.objectExists, { plugin, bucket, key }, scope)).exists;
    },
    async *getObject(bucket, key, scope) {
      try {
        for await (const { data } of channel.serverStream(method.getObject, { plugin, bucket, key }, scope)) yield data;
      } catch (error) {
        throw missingObjectError(error);
      }
    },
    async listCommonPrefixes(bucket, delimiter, prefix, scope) {
      const { prefixes } = await channel.unary(method.listCommonPrefixes, { plugin, bucket, delimiter, prefix }, scope);
      return prefixes;
    },
    async listObjects(bucket, prefix, scope) {
      return (await channel.unary(method.listObjects, { plugin, bucket, prefix }, scope)).keys;
    },
    async deleteObject(bucket, key, scope) {
      await channel.unary(method.deleteObject, { plugin, bucket, key }, scope).catch((error: unknown) => {
        if (!hasCode(missingObjectError(error), "NotFound")) throw error; // gone is gone
      });
    },
    async createSignedUrl(bucket, key, ttlMs, scope) {
      const ttl = BigInt(Math.round(ttlMs)) * nsPerMs;
      return (await channel.unary(method.createSignedURL, { plugin, bucket, key, ttl }, scope)).url;
    },
  };
}

/** A Go plugin fails on a stream without messages, so an empty object is one message with an empty body. */
async function* putRequests(
  target: { readonly plugin: string; readonly bucket: string; readonly key: string },
  body: AsyncIterable<Uint8Array>,
  sent: { whole: boolean },
) {
  let empty = true;
  for await (const chunk of splitChunks(body)) {
    empty = false;
    yield { ...target, body: chunk };
  }
  if (empty) yield { ...target, body: new Uint8Array() };
  sent.whole = true;
}
