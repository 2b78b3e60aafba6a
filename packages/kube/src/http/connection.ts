import { AppError } from "@jibe/base";
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { ClusterAccess } from "../auth/cluster-access.ts";
import type { Presented } from "../auth/credentials.ts";

// Longer than undici's 4 s, so that a quiet controller does not pay a TLS handshake each time; Go servers keep 90 s.
const keepAliveMs = 30_000;

/**
 * The sockets to one server. A client certificate belongs to the connection, not to the request: when the certificate
 * changes, new requests get new connections and those under way finish on the old.
 */
export class Connection implements AsyncDisposable {
  readonly #access: ClusterAccess;
  #current: { readonly cert: string | undefined; readonly dispatcher: Dispatcher } | undefined;
  readonly #retired = new Set<Dispatcher>();

  constructor(access: ClusterAccess) {
    this.#access = access;
  }

  dispatcherFor({ certificate }: Presented): Dispatcher {
    if (this.#current && this.#current.cert === certificate?.cert) return this.#current.dispatcher;
    if (this.#current) void this.#retire(this.#current.dispatcher);
    const dispatcher = openDispatcher(this.#access, certificate && { ...certificate, key: certificate.key.reveal() });
    this.#current = { cert: certificate?.cert, dispatcher };
    return dispatcher;
  }

  async #retire(dispatcher: Dispatcher): Promise<void> {
    this.#retired.add(dispatcher);
    await dispatcher.close().catch(() => {}); // destroyed meanwhile: nothing left to close
    this.#retired.delete(dispatcher);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.dispatcher.destroy();
    await Promise.all([...this.#retired].map((dispatcher) => dispatcher.destroy()));
  }
}

function openDispatcher(access: ClusterAccess, certificate: { cert: string; key: string } | undefined): Dispatcher {
  const { server, ca, tlsServerName, skipTlsVerify, proxy, name } = access;
  const tls = {
    ...(ca ? { ca } : {}),
    ...(tlsServerName ? { servername: tlsServerName } : {}),
    ...(skipTlsVerify ? { rejectUnauthorized: false } : {}),
    ...certificate,
  };
  // our own deadlines run on our own clock; undici's would end quiet watches
  const limits = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: keepAliveMs };
  try {
    if (!proxy) return new Pool(server.origin, { ...limits, connect: tls });
    const agent = new ProxyAgent({ ...limits, uri: proxy, requestTls: { ...tls, allowH2: false } });
    return withOrigin(agent, server.origin);
  } catch (cause) {
    throw new AppError("InvalidArgument", `cannot use the settings of cluster ${JSON.stringify(name)}`, { cause });
  }
}

/** An agent serves any origin and wants to be told which with each request; a pool knows. */
function withOrigin(agent: Dispatcher, origin: string): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => dispatch({ ...options, origin }, handler));
}
