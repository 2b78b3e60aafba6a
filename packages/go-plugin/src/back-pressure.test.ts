import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { Echo } from "../test/gen/echo_pb.ts";
import { listening } from "../test/listening.ts";
import { connectGrpc } from "./grpc-channel.ts";
import { grpcService, type ServiceHandlers } from "./grpc-service.ts";

const { say, sink, source } = Echo.method;
const value = Buffer.alloc(64 * 1024);
/** 64 MiB: far more than any buffer on the way may hold. */
const count = 1024;
const much = count / 4;

/** Serves some methods of the echo service, and gives a channel to them. */
async function serving(handlers: Partial<ServiceHandlers<typeof Echo>>) {
  const stack = new AsyncDisposableStack();
  const answer = async () => ({ value });
  const service = grpcService(Echo, { say: answer, ...handlers } as ServiceHandlers<typeof Echo>);
  const { address } = stack.use(await listening(service));
  const channel = stack.use(connectGrpc({ network: "unix", address }));
  /** Time for a side that does not hold back to run far ahead: whole calls, there and back. */
  const afterOtherCalls = async () => {
    for (let call = 0; call < 20; call++) await channel.unary(say, { value }, testScope());
  };
  return { channel, afterOtherCalls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("a plugin makes no more of a stream than its reader takes, besides what fits on the way", async () => {
  let made = 0;
  await using server = await serving({
    source: async function* () {
      for (; made < count; made++) yield { value };
    },
  });
  for await (const _ of server.channel.serverStream(source, { value: 0n }, testScope())) {
    await server.afterOtherCalls();
    break;
  }
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(much);
});

test("a host reads no more of its source than the plugin takes, besides what fits on the way", async () => {
  let read = 0;
  const reading = Promise.withResolvers<void>();
  await using server = await serving({
    sink: async (requests) => {
      await reading.promise;
      for await (const _ of requests);
      return {};
    },
  });
  const messages = async function* () {
    for (; read < count; read++) yield { value };
  };
  const upload = server.channel.clientStream(sink, messages(), testScope());
  await server.afterOtherCalls();
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(much);
  reading.resolve();
  await upload;
  expect(read).toBe(count);
});
