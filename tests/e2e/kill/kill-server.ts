import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Secret, silentLogger, systemClock } from "@jibe/base";
import { connectCluster } from "@jibe/kube";
import { parseArguments } from "../../../packages/jibe/src/cli/parse-arguments.ts";
import { serverFlags } from "../../../packages/jibe/src/cli/server/server-flags.ts";
import { kubeCluster } from "../../../packages/jibe/src/cluster/kube-cluster.ts";
import { openLocalVolumes } from "../../../packages/jibe/src/local-volume/index.ts";
import { createPrometheusRegistry, ServerMetrics } from "../../../packages/jibe/src/metrics/index.ts";
import { createUrlSigner } from "../../../packages/jibe/src/object-store/index.ts";
import { startPluginHost } from "../../../packages/jibe/src/plugin-host/index.ts";
import { runControllers } from "../../../packages/jibe/src/server/run-controllers.ts";
import { prioritiesFrom, serverCallAttempts } from "../../../packages/jibe/src/server/server-config.ts";
import { serverControllers } from "../../../packages/jibe/src/server/server-controllers.ts";
import { serverParts } from "../../../packages/jibe/src/server/server-parts.ts";
import { passedCluster, passedPlugins, passedStore } from "./points.ts";

/** What the test tells this process: from now on count anew, and act at the given passing of a point. */
export interface Arm {
  readonly point?: string;
  readonly passing?: number;
  /** End itself, which is the default; end its plugins; or only say that the point is reached. */
  readonly act?: "die" | "kill plugins" | "tell";
}

/** What this process tells the test. */
export type Told =
  | { readonly ready: true }
  | { readonly reached: string }
  | { readonly counts: Readonly<Record<string, number>> };

// The server's own parts on counted ports. It ends itself as kill -9 does, in the midst of whatever it does. It has no lease: the test
// runs one at a time. Arguments: the folder of the test's world, and more flags of the server.
const [dir = "", ...moreFlags] = process.argv.slice(2);
const clock = systemClock;
const scope = { signal: new AbortController().signal, log: silentLogger };
let armed: Arm = {};
let counts: Record<string, number> = {};
const runs = new Set<{ pids(): readonly number[] }>();
const pass = (point: string) => {
  const passing = (counts[point] ?? 0) + 1;
  counts[point] = passing;
  if (point !== armed.point || passing !== armed.passing) return;
  const { act = "die" } = armed;
  process.send?.({ reached: point } satisfies Told);
  if (act === "die") process.kill(process.pid, "SIGKILL");
  if (act === "kill plugins") for (const pid of [...runs].flatMap((run) => run.pids())) process.kill(pid, "SIGKILL");
};
process.on("message", (message: Arm | "count") => {
  if (message === "count") process.send?.({ counts } satisfies Told);
  else [armed, counts] = [message, {}];
});

const client = await connectCluster(
  { env: {}, kubeconfig: join(dir, "kubeconfig"), clock, attempts: serverCallAttempts },
  scope,
);
const cluster = passedCluster(kubeCluster(client), pass);
const plugins = await startPluginHost({ pluginDir: join(dir, "plugins"), env: process.env }, scope);
const { flags } = parseArguments(
  ["--item-operation-sync-frequency=300ms", "--backup-sync-period=1h", "--store-validation-frequency=1h", ...moreFlags],
  serverFlags,
);
const identity = `kill-${randomBytes(4).toString("hex")}`;
const live = { operations: () => [], apiConcurrency: () => 0, residentBytes: () => 0 };
const parts = serverParts({
  config: {
    flags,
    namespace: "velero",
    env: {},
    pluginArgs: [],
    disabled: new Set(["gc", "schedule", "backup-sync"]),
    priorities: prioritiesFrom(""),
    localZone: "UTC",
    scratchDir: join(dir, "scratch"),
    identity,
  },
  clock,
  client,
  cluster,
  plugins,
  signer: createUrlSigner({ secret: new Secret(identity), clock, baseUrl: "http://127.0.0.1" }),
  localVolumes: await openLocalVolumes({ clock }, scope),
  metrics: new ServerMetrics(await createPrometheusRegistry(), clock, live),
});
const { world } = parts;
const counted = {
  ...parts,
  world: {
    ...world,
    stores: {
      open: async (...args: Parameters<typeof world.stores.open>) =>
        passedStore(await world.stores.open(...args), pass),
    },
    openPlugins: async (...args: Parameters<typeof world.openPlugins>) => {
      const opened = await world.openPlugins(...args);
      const run = opened as typeof opened & { pids(): readonly number[] };
      runs.add(run);
      return Object.assign(passedPlugins(methodsOf(opened), pass), {
        [Symbol.asyncDispose]: async () => {
          runs.delete(run);
          await opened[Symbol.asyncDispose]();
        },
      });
    },
  },
};

/** Methods of a class instance, bound, so that they can be spread. */
function methodsOf(plugins: Awaited<ReturnType<typeof world.openPlugins>>) {
  return {
    backupActions: plugins.backupActions.bind(plugins),
    restoreActions: plugins.restoreActions.bind(plugins),
    blockActions: plugins.blockActions.bind(plugins),
    deleteActions: plugins.deleteActions.bind(plugins),
    snapshotter: plugins.snapshotter.bind(plugins),
  };
}

const controllers = await serverControllers(counted, { current: () => [] }, scope);
process.send?.({ ready: true } satisfies Told);
await runControllers(controllers.list, { client, namespace: "velero", clock }, scope);
