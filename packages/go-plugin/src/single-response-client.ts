import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect as connectSocket } from "node:net";
import { status } from "@grpc/grpc-js";
import type { GrpcStatus } from "./grpc-error.ts";
import { detailsFromBytes } from "./grpc-error.ts";
import type { PluginAddress } from "./handshake.ts";
import { sendAll } from "./send-all.ts";

const windowBytes = 8 * 1024 * 1024;
const prefixBytes = 5;

/** How a call ended that did not succeed. */
export class GrpcFailure {
  readonly status: GrpcStatus;

  constructor(code: number, message: string, details: GrpcStatus["details"] = []) {
    this.status = { code, message, details };
  }
}

/**
 * Makes gRPC calls with one response, straight on HTTP/2: the calls that backups make by the thousand, at a fraction of
 * what a general client costs, and uploads, whose end must never be mistaken for another. Connects on the first call
 * and again after the connection was lost.
 */
export class SingleResponseClient implements Disposable {
  readonly #address: PluginAddress;
  #session: ClientHttp2Session | undefined;

  constructor(address: PluginAddress) {
    this.#address = address;
  }

  /** Resolves with the response's bytes; rejects with a `GrpcFailure`, or with the signal's reason when stopped. */
  call(path: string, message: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const stream = this.#request(path, {});
      const stop = () => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      receive(stream, (result) => {
        signal.removeEventListener("abort", stop);
        if (result instanceof GrpcFailure) reject(result);
        else resolve(result);
      });
      stream.end(framed(message));
    });
  }

  /**
   * Sends every message and resolves with the response's bytes. When the messages fail or the call is stopped, the
   * stream is reset without having been ended, so that the other side cannot take what it has for the whole.
   */
  async upload(path: string, messages: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    const leaving = new AbortController();
    // Only a stream that is destroyed skips END_STREAM: `close` ends it first, whatever its code.
    const stream = this.#request(path, { signal: leaving.signal });
    const answer = Promise.withResolvers<Uint8Array>();
    const answered = answer.promise.then(noop, noop);
    receive(stream, (result) => (result instanceof GrpcFailure ? answer.reject(result) : answer.resolve(result)));
    const stop = () => answer.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      await sendAll(stream, frames(messages), answered);
      return await answer.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      leaving.abort();
    }
  }

  [Symbol.dispose](): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #request(path: string, options: { readonly signal?: AbortSignal }): ClientHttp2Stream {
    const headers = [":method", "POST", ":scheme", "http", ":authority", "localhost", ":path", path];
    return this.#connected().request([...headers, "content-type", "application/grpc", "te", "trailers"], options);
  }

  #connected(): ClientHttp2Session {
    const current = this.#session;
    if (current && !current.closed && !current.destroyed) return current;
    const { network, address } = this.#address;
    const session = connect("http://localhost", {
      createConnection: () => connectSocket(network === "unix" ? { path: address } : tcpTarget(address)),
      settings: { initialWindowSize: windowBytes, enablePush: false },
      maxSessionMemory: Number.MAX_SAFE_INTEGER, // calls that were stopped in mid-send count against it for good
    });
    session.on("connect", () => session.setLocalWindowSize(windowBytes));
    session.on("error", () => {}); // every call under way is told by its own stream
    session.on("goaway", () => this.#forget(session));
    session.on("close", () => this.#forget(session));
    session.unref();
    this.#session = session;
    return session;
  }

  #forget(session: ClientHttp2Session): void {
    if (this.#session === session) this.#session = undefined;
  }
}

function tcpTarget(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixBytes);
  return frame;
}

async function* frames(messages: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const message of messages) yield framed(message);
}

const noop = () => {};

/** Calls `done` once: with the message when headers, data and trailers say that all is well, else with what went wrong. */
function receive(stream: ClientHttp2Stream, done: (result: Uint8Array | GrpcFailure) => void): void {
  const chunks: Buffer[] = [];
  let failure: GrpcFailure | undefined;
  let ended = false;
  const finish = (result: Uint8Array | GrpcFailure) => {
    if (ended) return;
    ended = true;
    done(result);
  };
  const seeStatus = (headers: IncomingHttpHeaders) => {
    const code = headers["grpc-status"];
    if (code === undefined) return;
    if (code === "0") finish(unframed(chunks));
    // The status counts even while we are still sending, as when a message is larger than the other side takes.
    else finish(failureFrom(Number(code), headers));
  };
  stream.on("response", (headers) => {
    if (headers[":status"] !== 200) failure = new GrpcFailure(status.UNKNOWN, `HTTP status ${headers[":status"]}`);
    else seeStatus(headers);
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("trailers", seeStatus);
  stream.on("error", (error) =>
    finish(failure ?? new GrpcFailure(status.UNAVAILABLE, `connection lost: ${error.message}`)),
  );
  stream.on("close", () => finish(failure ?? new GrpcFailure(status.UNAVAILABLE, "connection lost")));
}

function failureFrom(code: number, headers: IncomingHttpHeaders): GrpcFailure {
  const message = String(headers["grpc-message"] ?? "");
  const details = headers["grpc-status-details-bin"];
  const bytes = typeof details === "string" ? Buffer.from(details, "base64") : undefined;
  return new GrpcFailure(code, percentDecoded(message), bytes ? detailsFromBytes(bytes) : []);
}

function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded after all
  }
}

function unframed(chunks: readonly Buffer[]): Uint8Array | GrpcFailure {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  if (bytes.length < prefixBytes) return new GrpcFailure(status.INTERNAL, "the answer has no message");
  if (bytes[0] !== 0) return new GrpcFailure(status.UNIMPLEMENTED, "the answer is compressed");
  const length = bytes.readUInt32BE(1);
  if (bytes.length !== prefixBytes + length) return new GrpcFailure(status.INTERNAL, "the answer is cut short");
  return bytes.subarray(prefixBytes);
}
