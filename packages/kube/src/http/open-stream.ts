import type { Dispatcher } from "undici";
import { dispatch, ExchangeFailure, type HttpHeaders, type HttpRequest } from "./exchange.ts";

/** An answer whose body is read as it comes. Leaving the loop over `body` ends the request. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

// Enough to keep the reader busy; beyond it the socket is not read until the reader has caught up.
const maxBufferedBytes = 256 * 1024;

/** Sends one request and resolves when its headers are there. The signal stops it until the body has ended. */
export function openStream(
  dispatcher: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<StreamedResponse>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const handler = new StreamingHandler(resolve, reject, signal);
  signal.addEventListener("abort", handler.stop);
  dispatch(dispatcher, request, handler);
  return promise;
}

class StreamingHandler implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  readonly #resolve: (response: StreamedResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(resolve: (response: StreamedResponse) => void, reject: (error: unknown) => void, signal: AbortSignal) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
  }

  readonly stop = (): void => {
    this.#finish({ error: this.#signal.reason });
    this.#controller?.abort(new Error("stopped", { cause: this.#signal.reason }));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end) controller.abort(new Error("stopped"));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status >= 200) this.#resolve({ status, headers, body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes > maxBufferedBytes) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish({ error: new ExchangeFailure(error, this.#controller !== undefined) });
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    this.#signal.removeEventListener("abort", this.stop);
    this.#reject(end.error);
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (true) {
      this.#signal.throwIfAborted();
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bufferedBytes -= chunk.length;
        if (this.#chunks.length === 0) this.#controller?.resume();
        return { done: false, value: chunk };
      }
      if (this.#end) {
        if (this.#end.error !== undefined) throw this.#end.error;
        return { done: true, value: undefined };
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    const ended = this.#end !== undefined;
    this.#finish({});
    this.#chunks.length = 0;
    if (!ended) this.#controller?.abort(new Error("the reader has left"));
    return { done: true, value: undefined };
  }
}
