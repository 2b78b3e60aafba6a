import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/**
 * What goes wrong: `reset` cuts the connection before the server sees the request, `error` answers 500, `silent` never answers,
 * `stalled` and `partial` send half of the answer and then nothing or a reset, `lost` lets the server do its work and cuts the
 * connection instead of answering.
 */
export type Fault = "reset" | "error" | "silent" | "stalled" | "partial" | "lost";

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
  const answered = once(onward, "response") as Promise<[IncomingMessage]>;
  const [, [incoming]] = await Promise.all([pipeline(request, onward), answered]);
  if (fault === "lost") return void request.socket.destroy();
  response.writeHead(incoming.statusCode ?? 502, incoming.headers);
  if (fault !== "partial" && fault !== "stalled") return pipeline(incoming, response);
  const whole = Number(incoming.headers["content-length"] ?? 0);
  await sendHalf(incoming, response, Math.floor(whole / 2));
  if (fault === "partial") request.socket.destroy();
}

async function sendHalf(incoming: IncomingMessage, response: ServerResponse, bytes: number): Promise<void> {
  let left = bytes;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    await new Promise((resolve) => response.write(part, resolve));
    if (left === 0) return;
  }
}

/** Keeps the path as it was sent; parsing it as a URL would change escapes. */
function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const at = url.indexOf("?");
  return at < 0 ? { pathname: url, search: "" } : { pathname: url.slice(0, at), search: url.slice(at) };
}
