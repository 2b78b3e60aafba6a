import { timingSafeEqual } from "node:crypto";
import { messageOf, type Scope } from "@jibe/base";
import { dump } from "js-yaml";
import { ApiError, pathUnknown } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import { handleDiscovery } from "../discovery/handle-discovery.ts";
import { type ApiRequest, type ApiResponse, json, text } from "./api-request.ts";
import { chooseForm } from "./negotiate.ts";
import { handleResource } from "./resource-handler.ts";

export interface HandlerOptions {
  readonly token: string;
  /** Where clients reach this server: `127.0.0.1:6443`. */
  readonly address: () => string;
}

const openPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/livez", "/version", "/version/"]);

/** Answers requests: who asks, then discovery or objects. Every failure becomes a `Status`. */
export function apiHandler(
  context: ApiContext,
  options: HandlerOptions,
  scope: Pick<Scope, "log">,
): (request: ApiRequest) => Promise<ApiResponse> {
  return async (request) => {
    try {
      checkToken(request, options.token);
      const found = handleDiscovery(context, request, options.address()) ?? handleResource(context, request);
      if (found) return written(request, await found);
      throw pathUnknown();
    } catch (error) {
      if (error instanceof ApiError) return written(request, errorResponse(error));
      scope.log.error("request failed", { method: request.method, path: request.path, error: messageOf(error) });
      return errorResponse(new ApiError(500, "InternalError", `Internal error occurred: ${messageOf(error)}`));
    }
  };
}

/** The answer that carries an error. */
export function errorResponse(error: ApiError): ApiResponse {
  if (error.plainText !== undefined) return text(error.plainText, error.code);
  const seconds = error.details?.retryAfterSeconds;
  const response = { ...json(error.status, error.code), warnings: error.warnings };
  return seconds === undefined ? response : { ...response, headers: { "retry-after": String(seconds) } };
}

/** Lets in whoever has the token; some paths are open to all. */
export function checkToken(
  { authorization, path, method }: Pick<ApiRequest, "authorization" | "path" | "method">,
  token: string,
): void {
  if (authorization === "") {
    if (openPaths.has(path)) return;
    throw anonymous(method, path);
  }
  const given = Buffer.from(/^bearer (.*)$/i.exec(authorization)?.[1] ?? "");
  const wanted = Buffer.from(token);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw new ApiError(401, "Unauthorized", "Unauthorized");
  }
}

function anonymous(method: string, path: string): ApiError {
  const verb = method.toLowerCase();
  return new ApiError(403, "Forbidden", `forbidden: User "system:anonymous" cannot ${verb} path "${path}"`, {});
}

/** The answer in the notation that was asked for. */
function written(request: ApiRequest, response: ApiResponse): ApiResponse {
  if (!Buffer.isBuffer(response.body) || response.contentType !== undefined) return response;
  if (chooseForm(request.accept)?.mediaType !== "application/yaml") return pretty(request, response);
  const body = Buffer.from(dump(JSON.parse(response.body.toString()), { noRefs: true }));
  return { ...response, contentType: "application/yaml", body };
}

const prettyAgents = /^(curl|Wget|Mozilla)/;

/** People read what curl and browsers fetch. */
function pretty(request: ApiRequest, response: ApiResponse): ApiResponse {
  const asked = request.query.get("pretty");
  const wanted = asked === null ? prettyAgents.test(request.userAgent) : asked !== "false" && asked !== "0";
  if (!wanted || !Buffer.isBuffer(response.body) || response.contentType !== undefined) return response;
  return { ...response, body: Buffer.from(JSON.stringify(JSON.parse(response.body.toString()), null, 2)) };
}
