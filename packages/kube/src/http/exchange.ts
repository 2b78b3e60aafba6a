import type { Dispatcher } from "undici";

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly body?: Uint8Array | string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array;
}

/** Why a request got no whole answer. `sent` is false only when no byte of it can have reached the server. */
export class ExchangeFailure extends Error {
  override readonly name = "ExchangeFailure";
  readonly sent: boolean;

  constructor(cause: unknown, sent: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.sent = sent;
  }
}

/**
 * Sends one request and reads the whole answer. Works on undici's dispatch directly: no stream, no signal objects per
 * request, which is a good part of the cost of a small call. Rejects with the signal's reason when stopped.
 */
export function exchange(dispatcher: Dispatcher, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const handler = new BufferingHandler(resolve, reject, signal);
  signal.addEventListener("abort", handler.stop);
  dispatch(dispatcher, request, handler);
  return promise;
}

/** Hands a request to undici, whose argument checks throw where its other failures are reported. */
export function dispatch(dispatcher: Dispatcher, request: HttpRequest, handler: Dispatcher.DispatchHandler): void {
  const { method, path, headers, body = null } = request;
  dispatcher.dispatch({ method, path, headers, body, idempotent: false }, handler);
}

class BufferingHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: HttpHeaders = {};

  constructor(resolve: (response: HttpResponse) => void, reject: (error: unknown) => void, signal: AbortSignal) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
  }

  readonly stop = (): void => {
    this.#reject(this.#signal.reason);
    this.#controller?.abort(new Error("stopped", { cause: this.#signal.reason }));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.stop();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener("abort", this.stop);
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#signal.removeEventListener("abort", this.stop);
    this.#reject(new ExchangeFailure(error, this.#controller !== undefined));
  }
}
