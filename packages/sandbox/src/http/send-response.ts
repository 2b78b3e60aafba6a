import type { WatchSink } from "../watch/line-batch.ts";
import type { ApiResponse } from "./api-request.ts";
import type { AnyRequest, AnyResponse } from "./server.ts";

/** A watcher that lets this much pile up is cut off; it starts again from its last version. */
const watchBacklogLimit = 64 * 1024 * 1024;

/** Writes an answer, at the pace of whoever reads it. */
export async function sendResponse(request: AnyRequest, response: AnyResponse, result: ApiResponse): Promise<void> {
  if (response.destroyed) return;
  response.writeHead(result.status, headersOf(result));
  const { body } = result;
  if (Buffer.isBuffer(body)) {
    response.end(request.method === "HEAD" ? undefined : body);
  } else if ("stream" in body) {
    startStream(response, body.stream);
  } else {
    for (const chunk of body) if (!(await sent(response, chunk))) return;
    response.end();
  }
}

function headersOf({
  contentType = "application/json",
  headers = {},
  warnings = [],
  body,
}: ApiResponse): Record<string, string | string[]> {
  return {
    "cache-control": "no-cache, private",
    "content-type": contentType,
    ...(Buffer.isBuffer(body) ? { "content-length": String(body.length) } : {}),
    ...(warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) }),
    ...headers,
  };
}

/** Resolves when a chunk has left and its memory may be used again; to false when the reader went away instead. */
function sent(response: AnyResponse, chunk: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    response.once("close", onClose);
    response.write(chunk, (error) => {
      response.off("close", onClose);
      resolve(!error);
    });
  });
}

function startStream(response: AnyResponse, start: (sink: WatchSink) => void): void {
  const closed = new AbortController();
  response.on("close", () => closed.abort());
  response.on("error", () => closed.abort());
  response.flushHeaders();
  start({
    signal: closed.signal,
    write: (chunk) => {
      if (closed.signal.aborted) return;
      response.write(chunk);
      if (response.writableLength > watchBacklogLimit) response.destroy();
    },
    end: () => {
      closed.abort();
      response.end();
    },
  });
}
