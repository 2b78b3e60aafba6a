import { connect, constants, createServer } from "node:http2";
import { connect as connectSocket, createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { eventually, tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { Echo } from "../test/gen/echo_pb.ts";
import { listening } from "../test/listening.ts";
import { connectGrpc, methodPath } from "./grpc-channel.ts";
import { grpcService, type ServiceHandlers } from "./grpc-service.ts";

const { sink } = Echo.method;
const value = Buffer.alloc(100_000, "x");

const prefaceBytes = 24;
const frameHeaderBytes = 9;
const [dataFrame, resetFrame] = [0, 3];
const endStreamFlag = 1;

/** What a client sent, as frames of HTTP/2: how its stream ended on the wire, which Node's own events do not tell. */
function streamEndings(sent: Buffer): string[] {
  const endings: string[] = [];
  let at = prefaceBytes;
  while (at + frameHeaderBytes <= sent.length) {
    const [length, type, flags] = [sent.readUIntBE(at, 3), sent[at + 3], sent[at + 4] ?? 0];
    if (type === dataFrame && flags & endStreamFlag) endings.push("ended");
    if (type === resetFrame) endings.push(`reset ${sent.readUInt32BE(at + frameHeaderBytes)}`);
    at += frameHeaderBytes + length;
  }
  return endings;
}

/** A server of bare HTTP/2 behind a socket that notes what was sent to it. */
async function noting() {
  const stack = new AsyncDisposableStack();
  const dir = stack.use(await tempDir("upload"));
  const [address, behind] = [join(dir.path, "s"), join(dir.path, "behind")];
  const sent: Buffer[] = [];
  const server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.resume();
  });
  server.on("session", (session) => stack.defer(() => session.destroy()));
  const front = createSocketServer((socket) => {
    const onwards = connectSocket({ path: behind });
    for (const end of [socket, onwards]) end.on("error", () => {});
    socket.on("data", (chunk: Buffer) => sent.push(chunk));
    socket.pipe(onwards).pipe(socket);
  });
  for (const [listener, path] of [
    [server, behind],
    [front, address],
  ] as const) {
    await new Promise<void>((resolve) => listener.listen(path, resolve));
    stack.defer(() => void listener.close());
  }
  const channel = stack.use(connectGrpc({ network: "unix", address }));
  const endings = () => streamEndings(Buffer.concat(sent));
  return { channel, endings, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A service whose `sink` notes how its messages ended. */
async function serving() {
  const ends: string[] = [];
  const sinkOnly: Partial<ServiceHandlers<typeof Echo>> = {
    sink: async (requests) => {
      let count = 0;
      try {
        for await (const _ of requests) count += 1;
        ends.push(`whole after ${count}`);
      } catch {
        ends.push(`broken after ${count}`);
      }
      return {};
    },
  };
  const server = await listening(grpcService(Echo, sinkOnly as ServiceHandlers<typeof Echo>));
  return { ...server, ends };
}

describe("an upload", () => {
  test("whose source fails is reset on the wire without having been ended", async () => {
    await using server = await noting();
    const broken = async function* () {
      yield { value };
      throw new Error("the disk is gone");
    };
    await expect(server.channel.clientStream(sink, broken(), testScope())).rejects.toThrow("the disk is gone");
    await eventually(() => server.endings().length > 0);
    expect(server.endings()).toEqual([`reset ${constants.NGHTTP2_CANCEL}`]);
  });

  test("that is stopped is reset on the wire, whether or not its source is busy", async () => {
    await using server = await noting();
    const stopping = new AbortController();
    const endless = async function* () {
      yield { value };
      stopping.abort(new Error("enough"));
      await new Promise(() => {});
    };
    const scope = { ...testScope(), signal: stopping.signal };
    await expect(server.channel.clientStream(sink, endless(), scope)).rejects.toThrow("enough");
    await eventually(() => server.endings().length > 0);
    expect(server.endings()).toEqual([`reset ${constants.NGHTTP2_CANCEL}`]);
  });
});

test("the signal of a call that ended well is not aborted when its connection goes", async () => {
  let signal: AbortSignal | undefined;
  const keepSignal: Partial<ServiceHandlers<typeof Echo>> = {
    say: async ({ value: said }, call) => {
      signal ??= call.signal;
      return { value: said };
    },
  };
  await using server = await listening(grpcService(Echo, keepSignal as ServiceHandlers<typeof Echo>));
  for (let connection = 0; connection < 2; connection++) {
    using channel = connectGrpc({ network: "unix", address: server.address });
    await channel.unary(Echo.method.say, { value }, testScope());
  }
  expect(signal?.aborted).toBe(false);
});

describe("a service that takes a stream", () => {
  test("sees the whole of one that was ended", async () => {
    await using server = await serving();
    using channel = connectGrpc({ network: "unix", address: server.address });
    const messages = async function* () {
      yield { value };
      yield { value };
    };
    await channel.clientStream(sink, messages(), testScope());
    expect(server.ends).toEqual(["whole after 2"]);
  });

  const resets: Record<string, number> = {
    "canceled, as a Go caller that leaves does": constants.NGHTTP2_CANCEL,
    "broken by the caller": constants.NGHTTP2_INTERNAL_ERROR,
  };
  for (const [name, code] of Object.entries(resets)) {
    test(`never takes a call for whole that was ${name}`, async () => {
      await using server = await serving();
      const session = connect("http://localhost", { createConnection: () => connectSocket({ path: server.address }) });
      const leaving = new AbortController();
      const stream = session.request(
        { ":method": "POST", ":path": methodPath(sink), "content-type": "application/grpc", te: "trailers" },
        code === constants.NGHTTP2_CANCEL ? { signal: leaving.signal } : {},
      );
      stream.on("error", () => {});
      const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, 3, 0x0a, 1]), Buffer.from("x")]);
      await new Promise<void>((resolve) => stream.write(frame, () => resolve()));
      leaving.abort();
      stream.destroy(new Error("broken"));
      await eventually(() => server.ends.length === 1);
      expect(server.ends[0]).toMatch(/^broken/);
      session.destroy();
    });
  }
});
