import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import type { SignedObject, UrlSigner } from "./url-signer.ts";

export interface ServeObjectsOptions {
  readonly signer: UrlSigner;
  /** The store of a location by name; fails with `NotFound` when there is none. */
  readonly openLocation: (name: string, scope: Scope) => Promise<ObjectStore>;
}

const route = /^(?:\/[^?]*)?\/objects\/([^/?]+)(?:\?.*)?$/;

/**
 * Answers requests for signed URLs. Gives false, without touching the response, for a request that is not for one of them. The
 * body is streamed; a failure after the first byte cuts the connection, so that a client never takes a part for the whole.
 */
export function serveObjects({ signer, openLocation }: ServeObjectsOptions) {
  return async (request: IncomingMessage, response: ServerResponse, scope: Scope): Promise<boolean> => {
    const token = route.exec(request.url ?? "")?.[1];
    if (token === undefined) return false;
    try {
      if (request.method !== "GET" && request.method !== "HEAD") {
        throw new AppError("Unsupported", "objects can only be read here");
      }
      const object = signer.verify(token);
      await send(object, await openLocation(object.location, scope), { request, response }, scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (response.headersSent) {
        scope.log.warn("could not send an object to its end", { error: messageOf(error) });
        response.destroy();
      } else refuse(response, error);
    }
    return true;
  };
}

async function send(
  { key }: SignedObject,
  store: ObjectStore,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  scope: Scope,
): Promise<void> {
  const chunks = store.get(key, scope)[Symbol.asyncIterator]();
  const first = await chunks.next(); // a missing object fails here, before the status is sent
  response.writeHead(200, { "content-type": "application/octet-stream", "cache-control": "private, no-store" });
  const body = rest(first, chunks);
  if (request.method === "HEAD") {
    await chunks.return?.();
    response.end();
    return;
  }
  await pipeline(body, response, { signal: scope.signal });
}

async function* rest(first: IteratorResult<Uint8Array>, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  const status = hasCode(error, "PermissionDenied")
    ? 403
    : hasCode(error, "NotFound")
      ? 404
      : hasCode(error, "Unsupported")
        ? 405
        : 500;
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${error instanceof AppError ? error.message : "internal error"}\n`);
}
