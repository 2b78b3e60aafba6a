import { randomInt, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Clock, type Scope, silentLogger, systemClock } from "@jibe/base";
import type { ApiContext } from "./api/context.ts";
import { strategyOf } from "./builtin/strategies.ts";
import { TypeNodes } from "./builtin/type-nodes.ts";
import { startCrdController } from "./crd/crd-controller.ts";
import { execUpgrade } from "./exec/exec-upgrade.ts";
import { apiHandler, checkToken } from "./http/api-handler.ts";
import { identityIn } from "./http/identity.ts";
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
import { Audiences } from "./watch/audiences.ts";
import type { ExecHandler } from "./workloads/exec-handler.ts";

export interface SandboxOptions {
  /** Keeps everything in this directory; without it, in memory. */
  readonly dataDir?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Runs what clients execute in pods. */
  readonly exec?: ExecHandler;
  /** Plays controllers, scheduler and kubelet: workloads get pods that run, claims get volumes. */
  readonly simulateWorkloads?: boolean;
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

/** Starts an API server on loopback, ready to be used when the promise resolves. */
export async function startSandbox(
  options: SandboxOptions = {},
  scope: Pick<Scope, "log"> = { log: silentLogger },
): Promise<Sandbox> {
  const { dataDir, port = 0, clock = systemClock } = options;
  await using started = new AsyncDisposableStack();
  const store = started.use(openStore(options));
  const { certificate, token } = identityIn(dataDir, clock);
  const context = contextOn(store, clock);
  createFirstObjects(context);
  started.use(startCrdController(context));
  started.use(startNamespaceController(context, certificate.cert));
  started.use(new GarbageCollector(context));
  const simulated = options.simulateWorkloads ? await simulate(context, started, options, scope) : undefined;
  let address = "";
  const handle = apiHandler(context, { token, address: () => address }, scope);
  const upgrade = execUpgrade(
    { context, handler: options.exec ?? simulated, authenticate: upgradeGuard(token) },
    scope,
  );
  const server = started.use(await listen({ port, certificate, handle, upgrade }, scope));
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

function openStore({ dataDir, history }: SandboxOptions): Store {
  const durable = dataDir === undefined ? undefined : openSqliteLog(dataDir);
  return new Store({ durable, ...(history?.events === undefined ? {} : { historyEvents: history.events }) });
}

function contextOn(store: Store, clock: Clock): ApiContext {
  const definitions = new Definitions();
  return {
    store,
    audiences: new Audiences(),
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

/** Loaded only when asked for, to keep the start of tests short. */
async function simulate(
  context: ApiContext,
  started: AsyncDisposableStack,
  { dataDir, clock = systemClock }: SandboxOptions,
  scope: Pick<Scope, "log">,
): Promise<ExecHandler> {
  const { simulateWorkloads } = await import("./simulate-workloads.ts");
  return simulateWorkloads(context, started, { dataDir, clock }, scope);
}

const upgradeGuard = (token: string) => (request: IncomingMessage) =>
  checkToken({ authorization: request.headers.authorization ?? "", path: request.url ?? "", method: "GET" }, token);
