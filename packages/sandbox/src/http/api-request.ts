import type { WatchSink } from "../watch/line-batch.ts";

/** A request, read whole. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly authorization: string;
  readonly body: Buffer;
}

/** An answer: a body at once, in pieces of which each may be overwritten once it has left, or a stream of events. */
export interface ApiResponse {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
  readonly body: Buffer | Iterable<Buffer> | { readonly stream: (sink: WatchSink) => void };
}

export const json = (value: unknown, status = 200): ApiResponse => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
});

export const text = (value: string, status = 200): ApiResponse => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body: Buffer.from(value),
});
