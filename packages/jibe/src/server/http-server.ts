import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError, messageOf, type Scope } from "@jibe/base";

/** Answers a request, or leaves it to the next handler by giving false. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse, scope: Scope) => Promise<boolean>;

export interface HttpServer extends AsyncDisposable {
  /** `http://host:port` of this process. */
  readonly url: string;
}

/** Listens on `host:port`, an empty host meaning every address, and hands each request to the first handler that takes it. */
export async function startHttpServer(
  address: string,
  handlers: readonly HttpHandler[],
  scope: Scope,
): Promise<HttpServer> {
  const { host, port } = parseAddress(address);
  const server = createServer((request, response) => {
    answer(request, response, handlers, scope).catch((error: unknown) => {
      scope.log.warn("cannot answer an HTTP request", { path: pathOf(request), error: messageOf(error) });
      if (!response.headersSent) response.writeHead(500).end();
      else response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new AppError("Unavailable", `cannot listen on ${address}: choose another --metrics-address`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  const { address: bound, port: actual } = server.address() as AddressInfo;
  const name = host === undefined ? "127.0.0.1" : bound.includes(":") ? `[${bound}]` : bound;
  return {
    url: `http://${name}:${actual}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handlers: readonly HttpHandler[],
  scope: Scope,
): Promise<void> {
  for (const handler of handlers) if (await handler(request, response, scope)) return;
  response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
}

const pathOf = ({ url = "" }: IncomingMessage) => url.replace(/\?.*$/s, "");

function parseAddress(address: string): { host: string | undefined; port: number } {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(address);
  if (!match)
    throw new AppError(
      "InvalidArgument",
      `invalid address ${JSON.stringify(address)}: write it like :8085 or 127.0.0.1:8085`,
    );
  return { host: match[1] || match[2] || undefined, port: Number(match[3]) };
}

/** The health of the server: live while the process answers, ready once it can take work or stands by for the one that does. */
export function healthHandler(isReady: () => string | undefined): HttpHandler {
  return async (request, response) => {
    const path = pathOf(request);
    if (path !== "/healthz" && path !== "/livez" && path !== "/readyz") return false;
    const problem = path === "/readyz" ? isReady() : undefined;
    response.writeHead(problem === undefined ? 200 : 503, { "content-type": "text/plain" });
    response.end(`${problem ?? "ok"}\n`);
    return true;
  };
}
