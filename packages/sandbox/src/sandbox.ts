import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, type Scope, silentLogger, systemClock } from "@jibe/base";
import type { ApiContext } from "./api/context.ts";
import { strategyOf } from "./builtin/strategies.ts";
import { TypeNodes } from "./builtin/type-nodes.ts";
import { startCrdController } from "./crd/crd-controller.ts";
import { apiHandler } from "./http/api-handler.ts";
import { type Certificate, selfSignedCertificate } from "./http/certificate.ts";
import { kubeconfigText } from "./http/kubeconfig.ts";
import { listen } from "./http/server.ts";
import { createFirstObjects } from "./lifecycle/bootstrap.ts";
import { GarbageCollector } from "./lifecycle/garbage-collector.ts";
import { startNamespaceController } from "./lifecycle/namespace-controller.ts";
import { ProtoMessages } from "./protobuf/decode-message.ts";
import { Definitions } from "./registry/definitions.ts";
import { Registry } from "./registry/registry.ts";
import { openSqliteLog } from "./storage/sqlite-log.ts";
import { Store } from "./storage/store.ts";

export interface SandboxOptions {
  /** Keeps everything in this directory; without it, in memory. */
  readonly dataDir?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly history?: {
    /** How many changes are kept for watches and paging. */
    readonly events?: number;
  };
}

/** A running API server. Disposing it ends every connection and closes its storage. */
export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** PEM, for clients to trust. */
  readonly caCert: string;
  /** A kubeconfig that reaches this server, as text. */
  kubeconfig(): string;
  /** Forgets all history, so that older versions are answered with 410. */
  compact(): void;
}

interface Identity {
  readonly certificate: Certificate;
  readonly token: string;
}

/** Starts an API server on loopback, ready to be used when the promise resolves. */
export async function startSandbox(
  options: SandboxOptions = {},
  scope: Pick<Scope, "log"> = { log: silentLogger },
): Promise<Sandbox> {
  const { dataDir, port = 0, clock = systemClock } = options;
  await using started = new AsyncDisposableStack();
  const durable = dataDir === undefined ? undefined : openSqliteLog(dataDir);
  const store = started.use(
    new Store({ durable, ...(options.history?.events === undefined ? {} : { historyEvents: options.history.events }) }),
  );
  const { certificate, token } = identityIn(dataDir, clock);
  const context = contextOn(store, clock);
  createFirstObjects(context);
  started.use(startCrdController(context));
  started.use(startNamespaceController(context, certificate.cert));
  started.use(new GarbageCollector(context));
  let address = "";
  const handle = apiHandler(context, { token, address: () => address }, scope);
  const server = started.use(
    await listen({ port, certificate, handle, upgrade: (_request, socket) => socket.destroy() }, scope),
  );
  address = `127.0.0.1:${server.port}`;
  const url = `https://${address}`;
  const running = started.move();
  return {
    url,
    token,
    caCert: certificate.cert,
    kubeconfig: () => kubeconfigText({ url, token, caCert: certificate.cert }),
    compact: () => store.compact(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function contextOn(store: Store, clock: Clock): ApiContext {
  const definitions = new Definitions();
  return {
    store,
    registry: new Registry(),
    definitions,
    nodes: new TypeNodes(definitions),
    messages: new ProtoMessages(),
    clock,
    strategyOf,
    newUid: randomUUID,
    nameSuffix,
  };
}

// The letters that Kubernetes uses: no vowels, so no words; nothing that looks like something else.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const nameSuffix = () => Array.from({ length: 5 }, () => suffixLetters[randomInt(suffixLetters.length)]).join("");

/** The certificate and token, the same after a restart on the same data directory. */
function identityIn(dataDir: string | undefined, clock: Clock): Identity {
  const path = dataDir === undefined ? undefined : join(dataDir, "identity.json");
  if (path !== undefined && existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Identity;
  const identity = {
    certificate: selfSignedCertificate({ now: clock.now() }),
    token: randomBytes(24).toString("base64url"),
  };
  if (path !== undefined) writeFileSync(path, JSON.stringify(identity), { mode: 0o600 });
  return identity;
}
