import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Answer = (request: SeenRequest, response: ServerResponse, count: number) => void;

/** A real HTTP server that answers as the test says and remembers what it was asked. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
}

/** Starts a server on a free port, with TLS if options for it are given. Disposing cuts every connection. */
export async function startServer(answer: Answer, tls?: ServerOptions): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers, rawHeaders } = request;
    const seen = { method, url, headers, rawHeaders, body };
    requests.push(seen);
    answer(seen, response, requests.length);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** A failure in Kubernetes' form. */
export function sendStatus(response: ServerResponse, code: number, reason: string, more: object = {}): void {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `refused: ${reason}` };
  sendJson(response, code, { ...status, ...more });
}
