import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { messageOf, type Scope } from "@jibe/base";
import { ApiError } from "../api/api-error.ts";
import type { ApiRequest, ApiResponse } from "./api-request.ts";
import type { Certificate } from "./certificate.ts";
import { sendResponse } from "./send-response.ts";

// The objects of HTTP/2's compatibility layer have every member of HTTP/1's that is used here.
export type AnyRequest = IncomingMessage;
export type AnyResponse = ServerResponse;

const bodyLimit = 3 * 1024 * 1024;

/** Takes over a connection that asks to speak another protocol. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface ServerOptions {
  readonly port: number;
  readonly certificate: Certificate;
  readonly handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;
  readonly upgrade: UpgradeHandler;
}

/** Listens on loopback for HTTP/2 and HTTP/1.1 on one port. Disposing ends every connection. */
export async function listen(
  options: ServerOptions,
  scope: Pick<Scope, "log">,
): Promise<{ readonly port: number } & AsyncDisposable> {
  const { cert, key } = options.certificate;
  const server = createSecureServer({ cert, key, allowHTTP1: true, settings: { maxConcurrentStreams: 1000 } });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  (server as unknown as EventEmitter).on("request", (request: AnyRequest, response: AnyResponse) => {
    serve(request, response, options.handle).catch((error: unknown) => {
      scope.log.error("request could not be answered", { error: messageOf(error) });
      response.destroy();
    });
  });
  server.on("upgrade", options.upgrade);
  server.on("sessionError", () => {}); // the session's sockets report the same error and are closed by it
  server.on("tlsClientError", () => {}); // a client that does not trust us, or does not speak TLS, hears it from TLS
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function serve(request: AnyRequest, response: AnyResponse, handle: ServerOptions["handle"]): Promise<void> {
  const body = await readBody(request);
  if (body === "gone") return;
  const result = body === "too large" ? tooLarge() : await handle(requestFrom(request, body));
  await sendResponse(request, response, result);
}

function requestFrom(request: AnyRequest, body: Buffer): ApiRequest {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const header = (name: string) => String(request.headers[name] ?? "");
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
    accept: header("accept"),
    contentType: header("content-type"),
    userAgent: header("user-agent"),
    authorization: header("authorization"),
    body,
  };
}

function readBody(request: AnyRequest): Promise<Buffer | "gone" | "too large"> {
  if (request.method === "GET" || request.method === "HEAD") return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyLimit) resolve("too large");
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", () => resolve("gone"));
    request.on("close", () => resolve("gone"));
    request.on("aborted", () => resolve("gone"));
  });
}

function tooLarge(): ApiResponse {
  const { status } = new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyLimit}`);
  return { status: 413, body: Buffer.from(JSON.stringify(status)) };
}
