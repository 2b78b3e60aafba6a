import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Client, type ClientReadableStream, credentials, Metadata } from "@grpc/grpc-js";
import { AppError } from "@jibe/base";
import { appErrorFromStatus, type GrpcStatus, isServiceError, statusFromServiceError } from "./grpc-error.ts";
import { grpcTarget, type PluginAddress } from "./handshake.ts";
import { decoder, encoder } from "./message-codec.ts";
import { sendAll } from "./send-all.ts";
import { GrpcFailure, SingleResponseClient } from "./single-response-client.ts";

/** What a call needs to be stopped. A whole `Scope` will do. */
export interface CallScope {
  readonly signal: AbortSignal;
}

/**
 * Calls methods on the other side of a connection. A failed call throws an `AppError`; a stopped one throws its signal's
 * reason, at once, and tells the other side. Streams flow with back-pressure. Messages may be of any size.
 */
export interface GrpcChannel extends Disposable {
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    scope: CallScope,
  ): Promise<MessageShape<O>>;
  serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    scope: CallScope,
  ): AsyncIterable<MessageShape<O>>;
  clientStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O>,
    requests: AsyncIterable<MessageInitShape<I>>,
    scope: CallScope,
  ): Promise<MessageShape<O>>;
  duplex<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    requests: AsyncIterable<MessageInitShape<I>>,
    scope: CallScope,
  ): AsyncIterable<MessageShape<O>>;
}

/** Turns the status of a failed call into the error its caller sees. */
export type ErrorTranslator = (status: GrpcStatus) => AppError;

/** The path of a method on the wire. */
export function methodPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** Connects lazily, in plain text and without limits on message size. */
export function connectGrpc(address: PluginAddress, errorFrom: ErrorTranslator = appErrorFromStatus): GrpcChannel {
  return new PluginChannel(address, errorFrom);
}

const noMetadata = new Metadata();

class PluginChannel implements GrpcChannel {
  readonly #unary: SingleResponseClient;
  readonly #uploads: SingleResponseClient;
  readonly #client: Client;
  readonly #errorFrom: ErrorTranslator;

  constructor(address: PluginAddress, errorFrom: ErrorTranslator) {
    this.#errorFrom = errorFrom;
    this.#unary = new SingleResponseClient(address);
    this.#uploads = new SingleResponseClient(address);
    this.#client = new Client(grpcTarget(address), credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      "grpc.enable_http_proxy": 0,
      "grpc.enable_retries": 0,
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { signal }: CallScope,
  ): Promise<MessageShape<O>> {
    const bytes = toBinary(method.input, create(method.input, request));
    return this.#answer(method.output, this.#unary.call(methodPath(method), bytes, signal));
  }

  async *serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    { signal }: CallScope,
  ): AsyncGenerator<MessageShape<O>> {
    signal.throwIfAborted();
    const call = this.#client.makeServerStreamRequest(
      methodPath(method),
      encoder(method.input),
      decoder(method.output),
      request,
      noMetadata,
      {},
    );
    yield* this.#messages(call, signal);
  }

  async clientStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O>,
    requests: AsyncIterable<MessageInitShape<I>>,
    { signal }: CallScope,
  ): Promise<MessageShape<O>> {
    const encode = encoder(method.input);
    const messages = (async function* () {
      for await (const request of requests) yield encode(request);
    })();
    return await this.#answer(method.output, this.#uploads.upload(methodPath(method), messages, signal));
  }

  async *duplex<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    requests: AsyncIterable<MessageInitShape<I>>,
    { signal }: CallScope,
  ): AsyncGenerator<MessageShape<O>> {
    signal.throwIfAborted();
    const call = this.#client.makeBidiStreamRequest(
      methodPath(method),
      encoder(method.input),
      decoder(method.output),
      noMetadata,
      {},
    );
    const over = Promise.withResolvers<void>();
    call.once("close", over.resolve);
    sendAll(call, requests, over.promise).catch(() => call.cancel());
    yield* this.#messages(call, signal);
  }

  [Symbol.dispose](): void {
    this.#unary[Symbol.dispose]();
    this.#uploads[Symbol.dispose]();
    this.#client.close();
  }

  #answer<O extends DescMessage>(output: O, answer: Promise<Uint8Array>): Promise<MessageShape<O>> {
    return answer.then(
      (bytes) => fromBinary(output, bytes),
      (error: unknown) => {
        throw error instanceof GrpcFailure ? this.#errorFrom(error.status) : error;
      },
    );
  }

  async *#messages<T>(call: ClientReadableStream<T> & { cancel(): void }, signal: AbortSignal): AsyncGenerator<T> {
    using _stop = onAbort(signal, () => call.cancel());
    try {
      for await (const message of call) yield message as T;
    } catch (error) {
      throw this.#translate(error, signal);
    } finally {
      call.cancel();
    }
  }

  #translate(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (isServiceError(error)) return this.#errorFrom(statusFromServiceError(error));
    return new AppError("Internal", "call ended without an answer", { cause: error });
  }
}

function onAbort(signal: AbortSignal, run: () => void): Disposable {
  signal.addEventListener("abort", run, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", run) };
}
