import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { tempDir } from "@jibe/testkit";
import type { GrpcService } from "../src/index.ts";

/** Serves on a socket of its own, in this process, until it is disposed. */
export async function listening(service: GrpcService): Promise<AsyncDisposable & { readonly address: string }> {
  const stack = new AsyncDisposableStack();
  const dir = stack.use(await tempDir("listening"));
  const address = join(dir.path, "s");
  const server = new Server();
  service.addTo(server, { signal: new AbortController().signal });
  await new Promise<void>((resolve) =>
    server.bindAsync(`unix:${address}`, ServerCredentials.createInsecure(), () => resolve()),
  );
  stack.defer(() => server.forceShutdown());
  return { address, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
