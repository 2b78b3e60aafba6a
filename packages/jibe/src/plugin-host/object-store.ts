import type { Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/plugin-sdk/contracts";
import { remoteObjectStore } from "@jibe/plugin-sdk/wire";
import { Handover } from "./handover.ts";
import { type ExecutableForConfig, initializedPlugin } from "./initialized-plugin.ts";
import type { PluginCalls } from "./plugin-calls.ts";
import type { HostLimits } from "./settings.ts";

/** An external ObjectStore. Streams may take any time as long as the plugin moves. */
export function externalObjectStore({
  name,
  limits,
  executableFor,
}: {
  readonly name: string;
  readonly limits: HostLimits;
  readonly executableFor: ExecutableForConfig;
}): ObjectStore {
  const plugin = initializedPlugin(
    {
      name,
      kind: "ObjectStore",
      limits,
      init: (channel, config, scope) => remoteObjectStore(channel, name).init(config, scope),
    },
    executableFor,
  );
  const { calls } = plugin;
  const call = <T>(method: string, work: (store: ObjectStore, scope: Scope) => Promise<T>, scope: Scope) =>
    calls.call(method, (channel, inner) => work(remoteObjectStore(channel, name), inner), scope);
  return {
    init: (config, scope) => plugin.init(config, scope),
    putObject: (bucket, key, body, scope) =>
      calls.stream(
        "PutObject",
        (channel, inner, idle) => remoteObjectStore(channel, name).putObject(bucket, key, idle.sending(body), inner),
        scope,
      ),
    getObject: (bucket, key, scope) => download(calls, { bucket, key }, scope),
    objectExists: (bucket, key, scope) =>
      call("ObjectExists", (store, inner) => store.objectExists(bucket, key, inner), scope),
    listCommonPrefixes: (bucket, delimiter, prefix, scope) =>
      call("ListCommonPrefixes", (store, inner) => store.listCommonPrefixes(bucket, delimiter, prefix, inner), scope),
    listObjects: (bucket, prefix, scope) =>
      call("ListObjects", (store, inner) => store.listObjects(bucket, prefix, inner), scope),
    deleteObject: (bucket, key, scope) =>
      call("DeleteObject", (store, inner) => store.deleteObject(bucket, key, inner), scope),
    createSignedUrl: (bucket, key, ttlMs, scope) =>
      call("CreateSignedURL", (store, inner) => store.createSignedUrl(bucket, key, ttlMs, inner), scope),
  };
}

/** Hands chunks from the call, which runs as one task, to the reader, which pulls: one at a time, so none pile up. */
async function* download(
  calls: PluginCalls,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  scope: Scope,
): AsyncGenerator<Uint8Array> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([scope.signal, leaving.signal]);
  const handover = new Handover<Uint8Array>();
  const reading = calls
    .stream(
      "GetObject",
      async (channel, inner, idle) => {
        for await (const chunk of remoteObjectStore(channel, calls.name).getObject(bucket, key, inner)) {
          idle.waitForUs();
          await handover.give(chunk);
          idle.waitForPlugin();
        }
      },
      { ...scope, signal },
    )
    .finally(() => handover.end());
  reading.catch(() => {}); // awaited below
  try {
    yield* handover.take();
    await reading;
  } finally {
    leaving.abort(new Error("the reader left"));
    handover.end();
    await reading.catch(() => {}); // thrown above, unless the reader left first
  }
}
