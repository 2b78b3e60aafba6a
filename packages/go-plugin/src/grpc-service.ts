import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type {
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type {
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { methodPath } from "./grpc-channel.ts";
import { type GrpcStatus, serverStatus, statusFromError } from "./grpc-error.ts";
import { decoder, encoder } from "./message-codec.ts";

/** What a handler knows of its call: `signal` is aborted when the caller left or the server ends. */
export interface ServerCall {
  readonly signal: AbortSignal;
}

/** One function a method: messages in, a message or a stream of them out. What a handler throws becomes the status. */
export type ServiceHandlers<S extends DescService> = {
  readonly [K in keyof S["method"]]: S["method"][K] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, call: ServerCall) => Promise<MessageInitShape<O>>
    : S["method"][K] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageShape<I>, call: ServerCall) => AsyncIterable<MessageInitShape<O>>
      : S["method"][K] extends DescMethodClientStreaming<infer I, infer O>
        ? (requests: AsyncIterable<MessageShape<I>>, call: ServerCall) => Promise<MessageInitShape<O>>
        : S["method"][K] extends DescMethodBiDiStreaming<infer I, infer O>
          ? (requests: AsyncIterable<MessageShape<I>>, call: ServerCall) => AsyncIterable<MessageInitShape<O>>
          : never;
};

/** A service ready to be added to a server. */
export interface GrpcService {
  addTo(server: Server, options: ServiceOptions): void;
}

export interface ServiceOptions {
  /** Aborts every running call. */
  readonly signal: AbortSignal;
  /** How a thrown value is told to the caller. */
  readonly statusOf?: (error: unknown) => GrpcStatus;
}

/** Binds a service's description to the functions that serve it. */
export function grpcService<S extends DescService>(service: S, handlers: ServiceHandlers<S>): GrpcService {
  return {
    addTo(server, { signal, statusOf = statusFromError }) {
      const definition: Record<string, MethodDefinition<unknown, unknown>> = {};
      const implementation: UntypedServiceImplementation = {};
      for (const method of service.methods) {
        const handler = (handlers as Record<string, Handler | undefined>)[method.localName];
        if (!handler) continue;
        definition[method.localName] = {
          path: methodPath(method),
          requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
          responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
          requestSerialize: encoder(method.input) as (message: unknown) => Buffer,
          requestDeserialize: decoder(method.input),
          responseSerialize: encoder(method.output) as (message: unknown) => Buffer,
          responseDeserialize: decoder(method.output),
        };
        implementation[method.localName] = adapters[method.methodKind](handler, { signal, statusOf });
      }
      server.addService(definition as ServiceDefinition, implementation);
    },
  };
}

type Messages = AsyncIterable<unknown>;
type Handler = (input: unknown, call: ServerCall) => unknown;
type Options = Required<ServiceOptions>;

const adapters = {
  unary:
    (handler: Handler, options: Options) =>
    (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>): void => {
      settle(call, options, (scope) => handler(call.request, scope)).then(
        (response) => answer(null, response),
        (error: unknown) => answer(serverStatus(options.statusOf(error))),
      );
    },
  client_streaming:
    (handler: Handler, options: Options) =>
    (call: ServerReadableStream<unknown, unknown>, answer: sendUnaryData<unknown>): void => {
      settle(call, options, (scope) => handler(requestsOf(call), scope)).then(
        (response) => answer(null, response),
        (error: unknown) => answer(serverStatus(options.statusOf(error))),
      );
    },
  server_streaming:
    (handler: Handler, options: Options) =>
    (call: ServerWritableStream<unknown, unknown>): void => {
      settle(call, options, (scope) => sendAll(call, handler(call.request, scope) as Messages, scope.signal)).catch(
        (error: unknown) => call.emit("error", asError(options.statusOf(error))),
      );
    },
  bidi_streaming:
    (handler: Handler, options: Options) =>
    (call: ServerDuplexStream<unknown, unknown>): void => {
      settle(call, options, (scope) => sendAll(call, handler(requestsOf(call), scope) as Messages, scope.signal)).catch(
        (error: unknown) => call.emit("error", asError(options.statusOf(error))),
      );
    },
};

/** The caller's messages. A call that was reset is seen as ended for a moment, so the end counts only a turn later. */
async function* requestsOf(call: ServerReadableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>) {
  yield* call.iterator({ destroyOnReturn: false });
  await setImmediate();
  if (call.cancelled) throw new Error("the caller left before its last message");
}

type Cancellable = { on(event: "cancelled", run: () => void): unknown };

/** Runs one call in a scope that ends when the caller leaves or the server does. */
async function settle(call: Cancellable, { signal }: Options, run: (scope: ServerCall) => unknown): Promise<unknown> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal.reason);
  let isSettled = false;
  call.on("cancelled", () => {
    if (!isSettled) stopping.abort(new Error("the caller left")); // it is said of every call whose stream is closed
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await run({ signal: stopping.signal });
  } finally {
    isSettled = true;
    signal.removeEventListener("abort", stop);
  }
}

async function sendAll(
  call: ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>,
  messages: Messages,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) break;
    if (!call.write(message)) await drained(call, signal);
  }
  call.end();
}

function drained(call: Pick<Writable, "once" | "off">, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    call.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}

function asError(status: GrpcStatus): Error {
  return Object.assign(new Error(status.message), serverStatus(status));
}
