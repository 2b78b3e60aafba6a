import { randomBytes } from "node:crypto";
import { type Clock, messageOf, type Scope, Secret } from "@jibe/base";
import { connectCluster, type KubeClient, runWithLease } from "@jibe/kube";
import { clientVersion } from "../cli/version/client-version.ts";
import { kubeCluster } from "../cluster/kube-cluster.ts";
import { openLocalVolumes } from "../local-volume/index.ts";
import { createPrometheusRegistry, ServerMetrics } from "../metrics/index.ts";
import { createUrlSigner, serveObjects } from "../object-store/index.ts";
import { type PluginCallListener, type PluginHost, startPluginHost } from "../plugin-host/index.ts";
import { runCounter } from "./count-runs.ts";
import { settleDefaultLocation } from "./default-location.ts";
import { type HttpHandler, healthHandler, startHttpServer } from "./http-server.ts";
import { keepHeapSmall } from "./keep-heap-small.ts";
import { metricsHandler } from "./metrics-handler.ts";
import { untilAlone } from "./other-server.ts";
import { untilRequirementsMet, watchRequirements } from "./requirements.ts";
import { runControllers } from "./run-controllers.ts";
import { type ServerConfig, serverCallAttempts } from "./server-config.ts";
import { type OperationsNow, serverControllers } from "./server-controllers.ts";
import { serverParts } from "./server-parts.ts";

export interface ServerOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  /** Called each time the server begins to take work, with the address it serves. */
  readonly onReady?: (url: string) => void;
}

/** Runs the server until the scope is stopped. It stands by while another holds the lease, and waits for what it needs. */
export async function runServer({ config, clock, onReady }: ServerOptions, scope: Scope): Promise<void> {
  const { flags, namespace } = config;
  keepHeapSmall();
  await using client = await connect(config, clock, scope);
  const cluster = kubeCluster(client);
  let problem: string | undefined = "starting";
  const now: OperationsNow = { current: () => [] };
  const live = {
    operations: () => now.current(),
    apiConcurrency: () => client.concurrency,
    residentBytes: () => process.memoryUsage.rss(),
  };
  const metrics = new ServerMetrics(await createPrometheusRegistry(), clock, live);
  await using plugins = await startPlugins(config, (call) => metrics.pluginCalled(call), scope);
  await using localVolumes = await openLocalVolumes({ clock }, scope);
  const handlers: HttpHandler[] = [healthHandler(() => problem)];
  await using http = await startHttpServer(flags.metricsAddress, handlers, scope);
  scope.log.info("serving health and metrics", { address: http.url });
  // Links of an earlier process end with it; they live for ten minutes at most, and every client asks anew.
  const secret = new Secret(randomBytes(32).toString("hex"));
  const signer = createUrlSigner({ secret, clock, baseUrl: flags.publicUrl || http.url });
  const parts = serverParts({
    config,
    clock,
    client,
    cluster,
    plugins,
    signer,
    localVolumes,
    metrics,
  });
  const { locations, stores } = parts.world;
  const count = runCounter(clock);
  let throttled = 0;
  const refresh = async (inner: Scope) => {
    for (; throttled < client.throttledCalls; throttled++) metrics.apiThrottled();
    await count(parts, inner);
  };
  handlers.push(metricsHandler({ metrics, guard: flags.secureMetrics ? client : undefined, refresh }));
  handlers.push(
    serveObjects({ signer, openLocation: async (name, inner) => stores.open(await locations.get(name, inner), inner) }),
  );
  const requirements = { client, cluster, namespace, clock, onChange: (missing?: string) => (problem = missing) };
  await untilRequirementsMet(requirements, scope);
  problem = undefined;
  const work = async (inner: Scope) => {
    if (!flags.allowOtherServer) {
      const onOther = (version: string) => (problem = `another server (${version}) answers in this namespace`);
      await untilAlone(parts.statusRequests, { clock, onOther }, inner);
      problem = undefined;
    }
    await settleDefaultLocation(locations, flags.defaultBackupStorageLocation, inner);
    await using controllers = await serverControllers(parts, now, inner);
    inner.log.info("server takes work", { namespace, version: clientVersion, address: http.url });
    onReady?.(http.url);
    await runControllers(controllers.list, { client, namespace, clock }, inner);
  };
  const worked = flags.leaderElect ? workWhileLeading(config, { client, clock, work }, scope) : work(scope);
  await whileWatching((inner) => watchRequirements(requirements, inner), worked, scope);
}

/** Watches beside some work, for as long as that lasts. */
async function whileWatching(
  watch: (scope: Scope) => Promise<void>,
  worked: Promise<void>,
  scope: Scope,
): Promise<void> {
  const ended = new AbortController();
  const watching = watch({ ...scope, signal: AbortSignal.any([scope.signal, ended.signal]) });
  try {
    await worked;
  } finally {
    ended.abort(new Error("the work has ended"));
    await watching;
  }
}

function connect({ kubeconfig, context, env, flags }: ServerConfig, clock: Clock, scope: Scope): Promise<KubeClient> {
  const options = {
    env,
    clock,
    maxConcurrent: flags.maxConcurrentK8sConnections,
    attempts: serverCallAttempts,
    userAgent: `jibe/${clientVersion}`,
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(context ? { context } : {}),
  };
  return connectCluster(options, scope);
}

function startPlugins(
  { flags, env, pluginArgs }: ServerConfig,
  onCall: PluginCallListener,
  scope: Scope,
): Promise<PluginHost> {
  const settings = {
    pluginDir: flags.pluginDir,
    args: pluginArgs,
    env,
    strict: flags.strictPlugins,
    executeTimeoutMs: flags.pluginExecuteTimeout,
    callTimeoutMs: flags.pluginCallTimeout,
    onCall,
    ...(flags.pluginEnv.length > 0 ? { envNames: flags.pluginEnv } : {}),
  };
  return startPluginHost(settings, scope);
}

/** Works while holding the lease; when it is lost, stands by and works again once it is won back. */
async function workWhileLeading(
  { namespace, identity }: ServerConfig,
  {
    client,
    clock,
    work,
  }: { readonly client: KubeClient; readonly clock: Clock; readonly work: (scope: Scope) => Promise<void> },
  scope: Scope,
): Promise<void> {
  while (!scope.signal.aborted) {
    try {
      await runWithLease({ client, namespace, name: "jibe-server", identity, clock }, scope, work);
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.error("the server lost its lease or could not work; it stands by", { error: messageOf(error) });
      await clock.sleep(1000, scope);
    }
  }
}
