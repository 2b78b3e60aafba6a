import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf, type Scope } from "@jibe/base";
import { WebSocketServer } from "ws";
import { ApiError, badRequest, notDone, pathUnknown } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import { findEntry } from "../api/create-object.ts";
import { isTree, listAt, textAt } from "../api/kube-object.ts";
import { parseResourcePath } from "../http/request-path.ts";
import type { UpgradeHandler } from "../http/server.ts";
import { objectOf } from "../storage/entry.ts";
import type { ExecHandler } from "../workloads/exec-handler.ts";
import { runSession, type Session } from "./exec-session.ts";

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io", "channel.k8s.io"];

export interface ExecOptions {
  readonly context: ApiContext;
  readonly handler: ExecHandler | undefined;
  /** Throws when the request may not come in. */
  readonly authenticate: (request: IncomingMessage) => void;
}

/** Takes over connections that want to run a command in a pod; refuses all others with a `Status`. */
export function execUpgrade(
  { context, handler, authenticate }: ExecOptions,
  scope: Pick<Scope, "log">,
): UpgradeHandler {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  return (request, socket, head) => {
    try {
      authenticate(request);
      const session = sessionFrom(context, request);
      if (!handler) throw notDone("running commands in pods without an exec handler");
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        runSession(webSocket, session, handler).catch((error: unknown) => {
          scope.log.error("exec session failed", { error: messageOf(error) });
        });
      });
    } catch (error) {
      refuse(socket, error instanceof ApiError ? error : new ApiError(500, "InternalError", messageOf(error)));
    }
  };
}

function sessionFrom(context: ApiContext, request: IncomingMessage): Session {
  const url = new URL(request.url ?? "/", "https://localhost");
  const path = parseResourcePath(url.pathname);
  const type = path && context.registry.find(path.group, path.version, path.plural);
  if (!path || type?.bucket !== "pods" || path.subresource === "") throw pathUnknown();
  if (path.subresource !== "exec") throw notDone(`pods/${path.subresource}`);
  const pod = objectOf(findEntry(context, { type, namespace: path.namespace, name: path.name, subresource: "" }));
  const containers = listAt(pod, "spec", "containers")
    .filter(isTree)
    .map((container) => textAt(container, "name"));
  const container = url.searchParams.get("container") ?? containers[0] ?? "";
  if (!containers.includes(container)) throw badRequest(`container ${container} is not valid for pod ${path.name}`);
  const command = url.searchParams.getAll("command");
  if (command.length === 0) throw badRequest("you must specify at least 1 command for the container");
  const isSet = (name: string) => ["true", "1"].includes(url.searchParams.get(name) ?? "");
  return {
    request: { namespace: path.namespace, pod: path.name, container, command },
    hasStdin: isSet("stdin"),
    isTty: isSet("tty"),
  };
}

function refuse(socket: Duplex, error: ApiError): void {
  const body = error.plainText ?? JSON.stringify(error.status);
  const head = [
    `HTTP/1.1 ${error.code} ${error.reason || "Error"}`,
    `Content-Type: ${error.plainText === undefined ? "application/json" : "text/plain; charset=utf-8"}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
