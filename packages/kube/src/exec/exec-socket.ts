import type { Scope } from "@jibe/base";
import { type Dispatcher, WebSocket } from "undici";
import type { HttpHeaders, HttpResponse } from "../http/exchange.ts";
import type { OutputBuffer } from "./output-buffer.ts";

// Each message is one byte that names the stream, then its bytes. Version 5 can close a stream, which version 4 cannot.
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 };
const chunkBytes = 32 * 1024;

export interface ExecSocketOptions {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly base: string;
  readonly path: string;
  readonly stdin: Uint8Array | string | undefined;
  readonly output: { readonly stdout: OutputBuffer; readonly stderr: OutputBuffer };
}

/** How the connection ended: with a `Status` of the command, refused by the server, never made, or cut off. */
export type ExecEnding =
  | { readonly kind: "status"; readonly text: string }
  | { readonly kind: "refused"; readonly response: HttpResponse }
  | { readonly kind: "unreachable"; readonly error: unknown }
  | { readonly kind: "cut" };

/** Connects, feeds the command and collects its output until the connection ends. */
export function openExecSocket(options: ExecSocketOptions, { signal }: Pick<Scope, "signal">): Promise<ExecEnding> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecEnding>();
  let refused: HttpResponse | undefined;
  let opened = false;
  let status = "";
  const dispatcher = noticingRefusal(options.dispatcher, (response) => {
    refused = response;
  });
  const headers = Object.entries(options.headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const socket = new WebSocket(`${options.base.replace(/^http/, "ws")}${options.path}`, {
    protocols,
    dispatcher,
    headers,
  });
  socket.binaryType = "arraybuffer";
  const stop = () => {
    reject(signal.reason);
    socket.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  socket.addEventListener("open", () => {
    opened = true;
    if (options.stdin !== undefined) sendInput(socket, Buffer.from(options.stdin));
  });
  socket.addEventListener("message", ({ data }) => {
    const message = Buffer.from(data);
    const payload = message.subarray(1);
    if (message[0] === channel.stdout) options.output.stdout.push(payload);
    else if (message[0] === channel.stderr) options.output.stderr.push(payload);
    else if (message[0] === channel.status) status += payload.toString("utf8");
  });
  let failure: unknown;
  socket.addEventListener("error", ({ error }) => {
    failure = error;
  });
  socket.addEventListener("close", () => {
    signal.removeEventListener("abort", stop);
    if (status !== "") resolve({ kind: "status", text: status });
    else if (refused) resolve({ kind: "refused", response: refused });
    else resolve(opened ? { kind: "cut" } : { kind: "unreachable", error: failure });
  });
  if (signal.aborted) stop();
  return promise;
}

function sendInput(socket: WebSocket, input: Buffer): void {
  for (let at = 0; at < input.length; at += chunkBytes) {
    socket.send(Buffer.concat([Buffer.of(channel.stdin), input.subarray(at, at + chunkBytes)]));
  }
  if (socket.protocol === protocols[0]) socket.send(Buffer.of(channel.close, channel.stdin));
}

/** A WebSocket hides why its handshake was refused; this reads the answer on its way. */
function noticingRefusal(dispatcher: Dispatcher, notice: (response: HttpResponse) => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, new RefusalReader(handler, notice)));
}

class RefusalReader implements Dispatcher.DispatchHandler {
  readonly #inner: Dispatcher.DispatchHandler;
  readonly #notice: (response: HttpResponse) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #headers: HttpHeaders = {};

  constructor(inner: Dispatcher.DispatchHandler, notice: (response: HttpResponse) => void) {
    this.#inner = inner;
    this.#notice = notice;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#inner.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandler["onRequestUpgrade"]>>): void {
    this.#inner.onRequestUpgrade?.(...args);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#notice({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) });
    this.#inner.onResponseError?.(controller, new Error(`the server refused with status ${this.#status}`));
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#inner.onResponseError?.(controller, error);
  }
}
