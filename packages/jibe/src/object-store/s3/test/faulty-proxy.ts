import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { systemClock } from "@jibe/base";

/**
 * What goes wrong: `reset` cuts the connection before the server sees the request, `error` answers 500, `slow` answers in two
 * halves with pauses, `silent` never answers, `stalled` and `partial` send half of the answer and then nothing or a reset, `lost`
 * lets the server do its work and cuts the connection instead of answering. A request with a body is itself cut by `partial`.
 */
export type Fault = "reset" | "error" | "slow" | "silent" | "stalled" | "partial" | "lost";

const pauseMs = 150;

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string;
  /** How many requests were spoilt. */
  readonly spoilt: number;
  /** From now on asks `pick` about each request. */
  spoil(pick: PickFault): void;
}

export type PickFault = (request: IncomingMessage) => Fault | undefined;

/** Spoils the next `count` requests that `when` picks. */
export function times(
  count: number,
  fault: Fault,
  when: (request: IncomingMessage) => boolean = () => true,
): PickFault {
  let left = count;
  return (request) => (left > 0 && when(request) && left-- > 0 ? fault : undefined);
}

/** A proxy for tests that stands before a real server and spoils some requests. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let pickFault: PickFault = () => undefined;
  let spoilt = 0;
  const server = createServer((request, response) => {
    const fault = pickFault(request);
    if (fault) spoilt++;
    answer(target, request, response, fault).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get spoilt() {
      return spoilt;
    },
    spoil: (pick) => {
      pickFault = pick;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(target: string, request: IncomingMessage, response: ServerResponse, fault: Fault | undefined) {
  if (fault === "reset") return void request.socket.destroy();
  if (fault === "silent") return;
  if (fault === "error") {
    request.resume();
    return void response.writeHead(500).end("<Error><Code>InternalError</Code></Error>");
  }
  // The Host header stays the client's: it is part of the signature.
  const { pathname, search } = splitUrl(request.url ?? "/");
  const { hostname, port } = new URL(target);
  const onward = send({ hostname, port, method: request.method, path: pathname + search, headers: request.headers });
  if (fault === "partial" && lengthOf(request) > 0) return cutRequest(request, onward);
  const answered = once(onward, "response") as Promise<[IncomingMessage]>;
  const [, [incoming]] = await Promise.all([pipeline(request, onward), answered]);
  if (fault === "lost") return void request.socket.destroy();
  if (fault === "slow") await pause();
  response.writeHead(incoming.statusCode ?? 502, incoming.headers);
  if (fault === "slow" || fault === "partial" || fault === "stalled") {
    await sendHalf(incoming, response, Math.floor(lengthOf(incoming) / 2));
  }
  if (fault === "partial") return void request.socket.destroy();
  if (fault === "stalled") return;
  if (fault === "slow") await pause();
  return pipeline(incoming, response);
}

/** Lets the server see half of a request's body, and then no more. */
async function cutRequest(request: IncomingMessage, onward: ClientRequest): Promise<void> {
  onward.on("error", () => {}); // it is cut here, on purpose
  await sendHalf(request, onward, Math.floor(lengthOf(request) / 2));
  onward.destroy();
  request.socket.destroy();
}

const lengthOf = ({ headers }: IncomingMessage) => Number(headers["content-length"] ?? 0);

const pause = () => systemClock.sleep(pauseMs, { signal: new AbortController().signal });

/** Hands on the first bytes of a stream and leaves the rest in it. */
async function sendHalf(from: IncomingMessage, to: Writable, bytes: number): Promise<void> {
  if (bytes === 0) return;
  let left = bytes;
  for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left);
    if (part.length < chunk.length) from.unshift(chunk.subarray(part.length));
    left -= part.length;
    await new Promise((resolve) => to.write(part, resolve));
    if (left === 0) return;
  }
}

/** Keeps the path as it was sent; parsing it as a URL would change escapes. */
function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const at = url.indexOf("?");
  return at < 0 ? { pathname: url, search: "" } : { pathname: url.slice(0, at), search: url.slice(at) };
}
