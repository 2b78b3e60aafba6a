import { type Clock, type Logger, type Scope, silentLogger } from "@jibe/base";
import type { Cluster, ObjectStore, ResourceType, RunPlugins, Scratch } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { FakeClock } from "@jibe/testkit";
import { memoryPlugins } from "../../packages/engine/test/memory-plugins.ts";
import { memoryScratch } from "../../packages/engine/test/memory-scratch.ts";
import { builtInActions } from "../../packages/jibe/src/actions/index.ts";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { parseArguments } from "../../packages/jibe/src/cli/parse-arguments.ts";
import { serverFlags } from "../../packages/jibe/src/cli/server/server-flags.ts";
import type { Controller } from "../../packages/jibe/src/controllers/controller.ts";
import { Resources } from "../../packages/jibe/src/controllers/resources.ts";
import { createPrometheusRegistry, ServerMetrics } from "../../packages/jibe/src/metrics/index.ts";
import { retrying } from "../../packages/jibe/src/object-store/retrying/retrying.ts";
import { serverControllers } from "../../packages/jibe/src/server/server-controllers.ts";
import type { ServerParts } from "../../packages/jibe/src/server/server-parts.ts";
import type { Caller } from "./call-gate.ts";
import {
  type Gate,
  gatedBackupAction,
  gatedCluster,
  gatedRestoreAction,
  gatedSnapshotter,
  gatedStore,
} from "./gated-ports.ts";
import type { Provider } from "./provider.ts";

const runControllers = new Set([
  "backup-queue",
  "backup",
  "backup-finalizer",
  "backup-cancel",
  "backup-operations",
  "backup-deletion",
  "restore",
  "restore-cancel",
  "restore-operations",
]);

/** What all servers share: it survives them. */
export interface SharedWorld {
  readonly cluster: Cluster;
  readonly store: ObjectStore;
  readonly provider: Provider;
  readonly clock: FakeClock;
  readonly newId: () => string;
  readonly namespace: string;
  /** Told of each call that reaches the world; what it gives is told when the call has had its effect. */
  readonly onEffect: (life: ServerLife, name: string) => () => void;
  /** Lets a call of a server through, or not. */
  readonly call: <T>(caller: Caller, name: string, effect: () => Promise<T>) => Promise<T>;
}

/** One life of a server, from its start until it is killed or has lost its lease. */
export class ServerLife implements Caller {
  readonly name: string;
  readonly #stopping = new AbortController();
  readonly #openCalls = new Set<() => void>();
  #isDead = false;
  #thawed: PromiseWithResolvers<void> | undefined;
  #controllers: readonly Controller[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Whether it stands still, as a process does whose machine is asleep. */
  get isFrozen(): boolean {
    return this.#thawed !== undefined;
  }

  get controllers(): readonly Controller[] {
    return this.#controllers;
  }

  get scope(): Scope {
    return { signal: this.#stopping.signal, log: silentLogger };
  }

  /** As kill -9: nothing of it runs any more. */
  kill(): void {
    this.#isDead = true;
  }

  freeze(): void {
    this.#thawed = Promise.withResolvers();
  }

  /** It goes on where it stood, and does not know how long that was. */
  thaw(): void {
    this.#thawed?.resolve();
    this.#thawed = undefined;
  }

  /** Lets go of calls that will never return, when all is over: a listener on a combined signal keeps all of its server in memory. */
  forget(): void {
    for (const release of this.#openCalls) release();
  }

  async untilThawed(): Promise<void> {
    await this.#thawed?.promise;
  }

  /** As a lost lease or SIGTERM: it is told, and ends what it does. */
  stop(): void {
    this.#stopping.abort(new Error("the lease was lost"));
  }

  async #reach<T>(
    name: string,
    effect: () => Promise<T>,
    { signal, world }: { readonly signal: AbortSignal; readonly world: SharedWorld },
  ): Promise<T> {
    signal.throwIfAborted();
    const onDone = world.onEffect(this, name);
    const answer = await effect();
    onDone();
    return answer;
  }

  async start(world: SharedWorld): Promise<void> {
    const gate: Gate = (name, effect, { signal }) =>
      stoppable(
        world.call(this, name, () => this.#reach(name, effect, { signal, world })),
        signal,
        this.#openCalls,
      );
    const parts = await serverPartsOf(this, world, gate);
    const { list } = await serverControllers(parts, { current: () => [] }, this.scope);
    this.#controllers = list.filter(({ name }) => runControllers.has(name));
  }
}

/** Ends with the signal, as every port owes; the call itself may still be under way. */
function stoppable<T>(call: Promise<T>, signal: AbortSignal, open: Set<() => void>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const release = () => {
      open.delete(release);
      signal.removeEventListener("abort", stop);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    open.add(release);
    call.then(resolve, reject).finally(release);
  });
}

async function serverPartsOf(life: ServerLife, world: SharedWorld, gate: Gate): Promise<ServerParts> {
  const { namespace } = world;
  const clock = clockOf(life, world.clock);
  const cluster = gatedCluster(world.cluster, gate, clock);
  const store = retrying(gatedStore(world.store, gate), { attempts: 4, firstDelayMs: 500, maxDelayMs: 8000, clock });
  const of = <T extends KubernetesObject>(type: ResourceType) => new Resources<T>(cluster, type, namespace);
  const { flags } = parseArguments([], serverFlags);
  const live = { operations: () => [], apiConcurrency: () => 1, residentBytes: () => 0 };
  const unused = (): never => {
    throw new Error("not part of the simulation");
  };
  return {
    config: {
      flags: {
        ...flags,
        clientPageSize: 3,
        itemBlockWorkerCount: 3,
        restoreWorkerCount: 3,
        concurrentBackups: 2,
        concurrentRestores: 2,
      },
      namespace,
      env: {},
      pluginArgs: [],
      disabled: new Set(),
      priorities: (await import("@jibe/engine")).defaultPriorities,
      localZone: "UTC",
      scratchDir: "",
      identity: life.name,
    },
    clock,
    cluster,
    plugins: [],
    metrics: new ServerMetrics(await createPrometheusRegistry(), clock, live),
    backups: of(veleroTypes.backup),
    restores: of(veleroTypes.restore),
    schedules: of(veleroTypes.schedule),
    deleteRequests: of(veleroTypes.deleteBackupRequest),
    downloadRequests: of(veleroTypes.downloadRequest),
    statusRequests: of(veleroTypes.serverStatusRequest),
    podVolumeBackups: of(veleroTypes.podVolumeBackup),
    world: {
      cluster,
      locations: of(veleroTypes.backupStorageLocation),
      snapshotLocations: of(veleroTypes.volumeSnapshotLocation),
      stores: { open: async () => ({ ...store, [Symbol.asyncDispose]: async () => {} }) },
      snapshots: {
        open: async ({ metadata, spec }) => ({
          name: metadata.name,
          provider: spec.provider,
          config: spec.config ?? {},
        }),
      },
      openPlugins: async (_log: Logger) => runPlugins(life, world, { cluster, gate }),
      openScratch: async (): Promise<Scratch & AsyncDisposable> =>
        Object.assign(memoryScratch(), { [Symbol.asyncDispose]: async () => {} }),
      clock,
      newId: world.newId,
      holder: life.name,
      parseYaml: unused,
      onRestart: "rerun",
    },
  };
}

function runPlugins(
  life: ServerLife,
  { provider, namespace }: SharedWorld,
  { cluster, gate }: { readonly cluster: Cluster; readonly gate: Gate },
): RunPlugins & AsyncDisposable {
  const { backup, restore, asynchronous, immediate } = provider.pluginsFor(life.name);
  const noting: Gate = async (name, effect, scope) => {
    const [, , verb = "", id = ""] = name.split(" ");
    const about = provider.work.get(id);
    if (about && verb === "cancel") about.isCancelAsked = true;
    if (about && verb === "delete") about.isDeleteAsked = true;
    const answer = await gate(name, effect, scope).catch((error: unknown) => {
      // Whoever wanted to stop a snapshot cannot, when the snapshotter does not even take its settings.
      for (const each of provider.work.values()) {
        each.isCancelAsked ||= verb === "init" && each.kind === "snapshot";
        each.isDeleteAsked ||= verb === "init" && each.kind === "snapshot";
      }
      throw error;
    });
    const started = typeof answer === "string" ? answer : (answer as { operationId?: string } | undefined)?.operationId;
    const known = provider.work.get(started ?? "") ?? provider.volumes.get(started ?? "");
    if (known) known.isKnown = true;
    return answer;
  };
  const builtIn = builtInActions({ cluster, namespace, features: [] });
  const plugins = memoryPlugins({
    backup: [...builtIn.backup, gatedBackupAction(backup, noting)],
    restore: [...builtIn.restore, gatedRestoreAction(restore, noting)],
    block: builtIn.block,
    delete: [],
    snapshotters: {
      [asynchronous.name]: gatedSnapshotter(asynchronous, noting),
      [immediate.name]: gatedSnapshotter(immediate, noting),
    },
  });
  return { ...plugins, [Symbol.asyncDispose]: async () => {} };
}

/** The shared clock, as a server hears it: a dead one hears nothing. */
function clockOf(life: ServerLife, clock: FakeClock): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: async (ms, scope) => {
      await clock.sleep(ms, scope);
      await life.untilThawed();
      if (life.isDead) await new Promise(() => {});
    },
    after: (ms, run) =>
      clock.after(ms, () => {
        void life.untilThawed().then(() => {
          if (!life.isDead) run();
        });
      }),
  };
}
