import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { eventually, fakeClock, tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { GRPCController, GRPCStdio } from "./gen/plugin/plugin_pb.ts";
import { connectGrpc } from "./grpc-channel.ts";
import { hostServices } from "./host-services.ts";
import { StdioSource } from "./stdio-source.ts";

async function serving() {
  const dir = await tempDir("host-services");
  const address = join(dir.path, "s");
  const [clock, reasons, stdio] = [fakeClock(), [] as string[], new StdioSource()];
  const server = new Server();
  const ending = new AbortController();
  for (const service of hostServices({ stop: (why) => reasons.push(why), clock, stdio })) {
    service.addTo(server, { signal: ending.signal });
  }
  await new Promise<void>((resolve) =>
    server.bindAsync(`unix:${address}`, ServerCredentials.createInsecure(), () => resolve()),
  );
  const channel = connectGrpc({ network: "unix", address });
  return {
    clock,
    reasons,
    stdio,
    channel,
    async [Symbol.asyncDispose]() {
      ending.abort();
      channel[Symbol.dispose]();
      server.forceShutdown();
      await dir[Symbol.asyncDispose]();
    },
  };
}

test("a plugin whose host is gone ends a little later, unless another stream follows", async () => {
  await using plugin = await serving();
  plugin.stdio.write("stdout", Buffer.from("hello"));
  for await (const { data } of plugin.channel.serverStream(GRPCStdio.method.streamStdio, {}, testScope())) {
    expect(Buffer.from(data).toString()).toBe("hello");
    break; // the host leaves
  }
  await eventually(() => plugin.clock.pendingTimers().length > 0);
  expect(plugin.reasons).toEqual([]);
  await plugin.clock.advance(5000);
  expect(plugin.reasons).toEqual(["the host is gone"]);
});

test("a plugin that is asked to end answers first", async () => {
  await using plugin = await serving();
  await plugin.channel.unary(GRPCController.method.shutdown, {}, testScope());
  expect(plugin.reasons).toEqual([]);
  await plugin.clock.advance(0);
  expect(plugin.reasons).toEqual(["the host asked for the end"]);
});
