import type { AppError, Clock, Scope } from "@jibe/base";
import type { Dispatcher } from "undici";
import type { ClusterAccess } from "../auth/cluster-access.ts";
import type { Presented } from "../auth/credentials.ts";
import { impersonationHeaders } from "../auth/impersonation.ts";
import { errorFromNetwork, errorFromResponse } from "../status-error.ts";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { CallDeadline } from "./call-deadline.ts";
import { Connection } from "./connection.ts";
import { ExchangeFailure, exchange, type HttpRequest, type HttpResponse } from "./exchange.ts";
import { openStream, type StreamedResponse } from "./open-stream.ts";
import { mayRetry, outcomeOf, retryDelayMs } from "./retry-rules.ts";

export interface TransportOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly maxConcurrent: number;
  readonly requestTimeoutMs: number;
  readonly attempts: number;
}

/** One call to the API server. */
export interface Call {
  readonly method: Dispatcher.HttpMethod;
  /** From the root of the API, query included. */
  readonly path: string;
  readonly body?: Uint8Array | string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  /** What is being done, for errors: `cannot create pods "web"`. */
  readonly what: () => string;
  /** Groups calls of similar cost, to notice when they become slower. */
  readonly kind: string;
  readonly idempotent: boolean;
  readonly timeoutMs?: number | undefined;
}

/** Sends calls to one server: who we are, how much at once, how long, and what is tried again. */
export class Transport implements AsyncDisposable {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly limit: AdaptiveLimit;
  readonly #options: TransportOptions;
  readonly #connection: Connection;
  readonly #basePath: string;
  readonly #baseHeaders: Readonly<Record<string, string | string[]>>;

  constructor(access: ClusterAccess, options: TransportOptions) {
    this.access = access;
    this.clock = options.clock;
    this.limit = new AdaptiveLimit({ clock: options.clock, max: options.maxConcurrent });
    this.#options = options;
    this.#connection = new Connection(access);
    this.#basePath = access.server.pathname.replace(/\/+$/, "");
    this.#baseHeaders = {
      "user-agent": options.userAgent,
      ...(access.impersonate ? impersonationHeaders(access.impersonate) : {}),
    };
  }

  /** Sends a call and reads the whole answer; anything but success is thrown. The deadline covers the retries. */
  async send(call: Call, scope: Scope): Promise<HttpResponse> {
    let slot = await this.limit.enter(call.kind, scope);
    using deadline = this.#deadline(call, scope);
    const inner: Scope = { signal: deadline.signal, log: scope.log };
    let renewed = false;
    for (let number = 0; ; number++) {
      if (number > 0) slot = await this.limit.enter(call.kind, inner);
      let failed: { readonly error: AppError; readonly sent: boolean };
      try {
        const presented = await this.#present(inner);
        const response = await exchange(...this.#addressed(call, presented), inner.signal);
        slot.end(outcomeOf(response.status));
        if (response.status < 400) return response;
        if (response.status === 401 && !renewed) {
          renewed = true;
          if (await this.access.credentials.renew(presented, inner)) continue;
        }
        failed = { error: errorFromResponse(call.what(), response), sent: true };
      } catch (error) {
        slot.end(error instanceof ExchangeFailure ? "failed" : "ignored");
        if (!(error instanceof ExchangeFailure)) throw error;
        failed = { error: this.#unreachable(call, error), sent: error.sent };
      }
      const attempt = { number, most: this.#options.attempts, idempotent: call.idempotent, ...failed };
      if (!mayRetry(attempt)) throw failed.error;
      scope.log.debug("request is tried again", { path: call.path, attempt: number + 1, reason: failed.error.message });
      await this.clock.sleep(retryDelayMs(attempt, this.clock), inner).catch((reason: unknown) => {
        throw deadline.expired ? deadline.expiredAfter(failed.error) : reason;
      });
    }
  }

  /** Sends a call whose answer has no end of its own. The deadline covers the time until the headers are there. */
  async open(call: Call, scope: Scope): Promise<StreamedResponse> {
    for (let renewed = false; ; renewed = true) {
      using deadline = this.#deadline(call, scope);
      const inner: Scope = { signal: deadline.signal, log: scope.log };
      const presented = await this.#present(inner);
      // the stream outlives the deadline, which is lifted once the headers are there
      const ending = new AbortController();
      const stop = () => ending.abort(inner.signal.reason);
      inner.signal.addEventListener("abort", stop, { once: true });
      const signal = AbortSignal.any([scope.signal, ending.signal]);
      try {
        const response = await openStream(...this.#addressed(call, presented), signal);
        if (response.status < 400) return { ...response, body: this.#translating(call, response.body) };
        const body = await collect(response.body);
        if (response.status === 401 && !renewed && (await this.access.credentials.renew(presented, inner))) continue;
        throw errorFromResponse(call.what(), { ...response, body });
      } catch (error) {
        if (error instanceof ExchangeFailure) throw this.#unreachable(call, error);
        throw error;
      } finally {
        inner.signal.removeEventListener("abort", stop);
      }
    }
  }

  /** What a caller needs that speaks another protocol to the same server, such as WebSocket. */
  async upgradeParts(scope: Scope) {
    const presented = await this.#present(scope);
    const { access } = this;
    return {
      dispatcher: this.#connection.dispatcherFor(presented),
      headers: { ...this.#baseHeaders, ...presented.headers },
      base: `${access.server.origin}${this.#basePath}`,
      renew: () => access.credentials.renew(presented, scope),
    };
  }

  #addressed(call: Call, presented: Presented): [Dispatcher, HttpRequest] {
    const headers: Record<string, string | string[]> = {
      accept: call.accept ?? "application/json",
      ...this.#baseHeaders,
      ...presented.headers,
    };
    if (call.body !== undefined) headers["content-type"] = call.contentType ?? "application/json";
    const request = { method: call.method, path: this.#basePath + call.path, headers, body: call.body };
    return [this.#connection.dispatcherFor(presented), request];
  }

  #present(scope: Scope): Presented | Promise<Presented> {
    return this.access.credentials.present(scope);
  }

  #deadline({ timeoutMs = this.#options.requestTimeoutMs, what }: Call, scope: Scope): CallDeadline {
    return new CallDeadline({ ms: timeoutMs, clock: this.clock, what }, scope);
  }

  async *#translating(call: Call, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw error instanceof ExchangeFailure ? this.#unreachable(call, error) : error;
    }
  }

  #unreachable(call: Call, { cause }: ExchangeFailure): AppError {
    return errorFromNetwork(call.what(), this.access.server.origin, cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
