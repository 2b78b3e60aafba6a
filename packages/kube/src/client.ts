import type { Scope } from "@jibe/base";
import type {
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  RequestOptions,
  UpdateOptions,
} from "./client-options.ts";
import { type Discovery, discover } from "./discovery/discover.ts";
import { type ExecOptions, execInContainer } from "./exec/exec-in-container.ts";
import type { ExecResult } from "./exec/exec-result.ts";
import type { HttpResponse } from "./http/exchange.ts";
import type { Call, Transport } from "./http/transport.ts";
import { apiVersionOf, type KubeObject, type ResourceRef } from "./kube-object.ts";
import { type ListPage, listPages } from "./list/list-pages.ts";
import { splitList } from "./list/split-list.ts";
import { objectCalls } from "./object-calls.ts";
import { parseAnswer, parseDocument } from "./parse-answer.ts";
import { collectionPath, describeCall, withQuery } from "./resource-path.ts";
import { type WatchEvent, type WatchOptions, watchResource } from "./watch/watch-resource.ts";

/** What the server says about itself. */
export interface ServerVersion {
  readonly gitVersion: string;
  readonly major: string;
  readonly minor: string;
}

const defaultPageSize = 500;

/**
 * A cluster's API. Every call ends with its scope or its deadline, whichever is first; failures are `AppError`s, with
 * what the server said in `statusOf(error)`. Objects keep fields and numbers that we do not know or cannot hold.
 */
export class KubeClient implements AsyncDisposable {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The namespace the configuration names, `default` if none. */
  get namespace(): string {
    return this.#transport.access.namespace;
  }

  /** The context, or `in-cluster`: for people. */
  get contextName(): string {
    return this.#transport.access.name;
  }

  get server(): string {
    return this.#transport.access.server.href;
  }

  /** How many calls may run at once now; follows the load of the server. */
  get concurrency(): number {
    return this.#transport.limit.current;
  }

  /** Calls that the server refused with 429 so far, those that were sent again included. */
  get throttledCalls(): number {
    return this.#transport.limit.throttled;
  }

  /** What the server serves. Asks anew each time. */
  discover(scope: Scope): Promise<Discovery> {
    return discover(this.#transport, scope);
  }

  async version(scope: Scope): Promise<ServerVersion> {
    const body = await this.request({ method: "GET", path: "/version" }, scope);
    const { gitVersion, major, minor } = parseDocument("cannot read the server's version", body);
    return { gitVersion: String(gitVersion), major: String(major), minor: String(minor) };
  }

  async get<T extends object = KubeObject>(type: ResourceRef<T>, options: GetOptions, scope: Scope): Promise<T> {
    return this.#object(objectCalls.get(type, options), scope);
  }

  async getRaw(type: ResourceRef<object>, options: GetOptions, scope: Scope): Promise<Uint8Array> {
    return this.#bytes(objectCalls.get(type, options), scope);
  }

  async create<T extends object = KubeObject>(type: ResourceRef<T>, options: CreateOptions, scope: Scope): Promise<T> {
    return this.#object(objectCalls.create(type, options), scope);
  }

  /** As `create`, for callers that do not look at the answer. */
  async createRaw(type: ResourceRef<object>, options: CreateOptions, scope: Scope): Promise<Uint8Array> {
    return this.#bytes(objectCalls.create(type, options), scope);
  }

  /** Replaces an object; fails with `Conflict` when it changed since it was read. */
  async update<T extends object = KubeObject>(type: ResourceRef<T>, options: UpdateOptions, scope: Scope): Promise<T> {
    return this.#object(objectCalls.update(type, options), scope);
  }

  async updateStatus<T extends object = KubeObject>(
    type: ResourceRef<T>,
    options: UpdateOptions,
    scope: Scope,
  ): Promise<T> {
    return this.#object(objectCalls.update(type, { ...options, subresource: "status" }), scope);
  }

  async patch<T extends object = KubeObject>(type: ResourceRef<T>, options: PatchOptions, scope: Scope): Promise<T> {
    return this.#object(objectCalls.patch(type, options), scope);
  }

  /** Deletes an object, or begins to: with finalizers or a grace period it is still there for a while. */
  async delete(type: ResourceRef<object>, options: DeleteOptions, scope: Scope): Promise<void> {
    await this.#bytes(objectCalls.delete(type, options), scope);
  }

  async deleteCollection(type: ResourceRef<object>, options: DeleteCollectionOptions, scope: Scope): Promise<void> {
    await this.#bytes(objectCalls.deleteCollection(type, options), scope);
  }

  /** A list as a stream of pages of raw items, none delivered twice; see `listPages` for what happens to old tokens. */
  listPages(type: ResourceRef<object>, options: ListOptions, scope: Scope): AsyncGenerator<ListPage> {
    const itemType = { apiVersion: apiVersionOf(type), kind: type.kind };
    return listPages(async (continueToken, inner) => {
      const { body } = await this.#transport.send(listCall(type, options, continueToken), inner);
      return splitList(body, itemType);
    }, scope);
  }

  /** A whole list, parsed. For lists that are known to be short; `listPages` has no such limit. */
  async list<T extends object = KubeObject>(type: ResourceRef<T>, options: ListOptions, scope: Scope) {
    const items: T[] = [];
    let resourceVersion = "";
    for await (const page of this.listPages(type, options, scope)) {
      for (const item of page.items) items.push(asShape<T>(item.parse()));
      resourceVersion = page.resourceVersion;
    }
    return { items, resourceVersion };
  }

  /** Changes from a resource version on, across lost connections; see `watchResource`. */
  watch<T extends object = KubeObject>(
    type: ResourceRef<T>,
    options: WatchOptions,
    scope: Scope,
  ): AsyncGenerator<WatchEvent<T>> {
    return watchResource(this.#transport, type, options, scope);
  }

  /** Runs a command in a container and waits for its end; a non-zero exit code is a result, not an error. */
  exec(options: ExecOptions, scope: Scope): Promise<ExecResult> {
    return execInContainer(this.#transport, options, scope);
  }

  /** Any other call; resolves with the answer's body. */
  async request({ path, query = {}, method, ...rest }: RequestOptions, scope: Scope): Promise<Uint8Array> {
    const what = () => `cannot ${method} ${path}`;
    const call = { idempotent: method === "GET", ...rest, method, path: withQuery(path, query), kind: "other", what };
    return this.#bytes({ ...call, idempotent: call.idempotent ?? method === "GET" }, scope);
  }

  async #object<T>(call: Call, scope: Scope): Promise<T> {
    return asShape<T>(parseAnswer(call.what(), await this.#bytes(call, scope)));
  }

  async #bytes(call: Call, scope: Scope): Promise<Uint8Array> {
    const { body }: HttpResponse = await this.#transport.send(call, scope);
    return body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }
}

function listCall(type: ResourceRef<object>, options: ListOptions, continueToken: string): Call {
  const { namespace, labelSelector, fieldSelector, limit = defaultPageSize } = options;
  const { resourceVersion, resourceVersionMatch } = options;
  // the token already says which state is being read, and the server refuses to be told twice
  const state = continueToken === "" ? { resourceVersion, resourceVersionMatch } : { continue: continueToken };
  return {
    method: "GET",
    path: withQuery(collectionPath(type, namespace), { labelSelector, fieldSelector, limit, ...state }),
    kind: "list",
    idempotent: true,
    what: () => describeCall("list", type, { namespace }),
  };
}

/** What the caller said the objects look like: a promise about the server that nobody here can check. */
function asShape<T>(object: unknown): T {
  return object as T;
}
