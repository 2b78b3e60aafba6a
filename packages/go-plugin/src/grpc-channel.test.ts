import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { join } from "node:path";
import { AppError } from "@jibe/base";
import { eventually, tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { echoService } from "../test/echo-service.ts";
import { Echo } from "../test/gen/echo_pb.ts";
import { listening } from "../test/listening.ts";
import { connectGrpc } from "./grpc-channel.ts";
import { grpcService } from "./grpc-service.ts";

const { say, sink } = Echo.method;
const value = Buffer.from("hello");

/** A server of bare HTTP/2 that does with each call what the test wants. */
async function answering(onStream: (stream: ServerHttp2Stream, calls: number) => void) {
  const dir = await tempDir("channel");
  const address = join(dir.path, "s");
  const server: Http2Server = createServer();
  let calls = 0;
  server.on("stream", (stream: ServerHttp2Stream) => {
    calls += 1;
    stream.on("error", () => {});
    onStream(stream, calls);
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const channel = connectGrpc({ network: "unix", address });
  return {
    channel,
    dropConnections: () => {
      for (const session of sessions) session.destroy();
    },
    async [Symbol.asyncDispose]() {
      channel[Symbol.dispose]();
      for (const session of sessions) session.destroy();
      server.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const grpcHeaders = { ":status": 200, "content-type": "application/grpc" };

function answerWell(stream: ServerHttp2Stream): void {
  stream.respond(grpcHeaders, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.from([0, 0, 0, 0, 7, 0x0a, 5, ...value]));
}

const failures: Record<string, { answer: (stream: ServerHttp2Stream) => void; want: object }> = {
  "a status without an answer": {
    answer: (stream) =>
      stream.respond(
        { ...grpcHeaders, "grpc-status": "5", "grpc-message": "no%20such%20%C3%B6l" },
        { endStream: true },
      ),
    want: { code: "NotFound", message: "no such öl" },
  },
  "a message that is not encoded as it should": {
    answer: (stream) =>
      stream.respond({ ...grpcHeaders, "grpc-status": "2", "grpc-message": "100%" }, { endStream: true }),
    want: { code: "Internal", message: "100%" },
  },
  "a status that asks to be tried again": {
    answer: (stream) => stream.respond({ ...grpcHeaders, "grpc-status": "10" }, { endStream: true }), // Aborted
    want: { code: "Unavailable" },
  },
  "another status of HTTP": {
    answer: (stream) => stream.respond({ ":status": 503 }, { endStream: true }),
    want: { message: "HTTP status 503" },
  },
  "a reset": {
    answer: (stream) => stream.close(2),
    want: { code: "Unavailable" },
  },
  "a refused stream": {
    answer: (stream) => stream.close(7),
    want: { code: "Unavailable" },
  },
  "the end of the connection": {
    answer: (stream) => stream.session?.destroy(),
    want: { code: "Unavailable" },
  },
  "an answer cut short": {
    answer: (stream) => {
      stream.respond(grpcHeaders, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.from([0, 0, 0, 0, 9, 1]));
    },
    want: { message: "the answer is cut short" },
  },
  "an answer without trailers": {
    answer: (stream) => {
      stream.respond(grpcHeaders);
      stream.end();
    },
    want: { code: "Unavailable" },
  },
};

describe("a call", () => {
  for (const [name, { answer, want }] of Object.entries(failures)) {
    test(`fails on ${name}, and the next one succeeds`, async () => {
      await using server = await answering((stream, calls) => (calls === 1 ? answer(stream) : answerWell(stream)));
      const scope = testScope();
      await expect(server.channel.unary(say, { value }, scope)).rejects.toMatchObject(want);
      const answered = await server.channel.unary(say, { value }, scope);
      expect(Buffer.from(answered.value)).toEqual(value);
    });
  }

  test("that is refused while it is still sending fails with the status", async () => {
    await using server = await answering((stream) => {
      stream.respond({ ...grpcHeaders, "grpc-status": "8", "grpc-message": "too large" }, { endStream: true });
    });
    const big = { value: Buffer.alloc(20 * 1024 * 1024) };
    await expect(server.channel.unary(say, big, testScope())).rejects.toMatchObject({
      code: "InvalidArgument",
      message: "too large",
    });
  });

  test("to nobody fails at once", async () => {
    using channel = connectGrpc({ network: "unix", address: "/nonexistent/socket" });
    await expect(channel.unary(say, { value }, testScope())).rejects.toMatchObject({ code: "Unavailable" });
  });

  test("goes on after the server closed the connection in good order", async () => {
    await using server = await answering(answerWell);
    const scope = testScope();
    await server.channel.unary(say, { value }, scope);
    server.dropConnections();
    const again = async () => (await server.channel.unary(say, { value }, scope)).value.length;
    expect(await eventually(again)).toBe(5);
  });

  test("that was stopped a hundred times in mid-send does no harm", async () => {
    await using server = await answering((stream) => {
      stream.resume();
      stream.on("end", () => stream.destroyed || answerWell(stream));
    });
    const big = { value: Buffer.alloc(3 * 1024 * 1024) };
    for (let i = 0; i < 100; i++) {
      const stopping = new AbortController();
      const call = server.channel.unary(say, big, stopping);
      stopping.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
    }
    expect((await server.channel.unary(say, { value }, testScope())).value).toHaveLength(5);
  });
});

describe("a stream", () => {
  test("that the other side ends early does not wait for its source", async () => {
    const refuse = async () => {
      throw new AppError("Conflict", "no more");
    };
    const streams = { source: async function* () {}, chat: async function* () {} };
    const refusing = { say: refuse, sink: refuse, offer: refuse, callBack: refuse, ...streams };
    await using server = await listening(grpcService(Echo, refusing));
    using channel = connectGrpc({ network: "unix", address: server.address });
    const endless = async function* () {
      yield { value };
      await new Promise(() => {});
    };
    await expect(channel.clientStream(sink, endless(), testScope())).rejects.toMatchObject({ code: "Conflict" });
  });

  test("fails with what its source threw, and the other side is told", async () => {
    await using server = await listening(echoService());
    using channel = connectGrpc({ network: "unix", address: server.address });
    const broken = async function* () {
      yield { value };
      throw new Error("the disk is gone");
    };
    await expect(channel.clientStream(sink, broken(), testScope())).rejects.toThrow("the disk is gone");
  });
});
