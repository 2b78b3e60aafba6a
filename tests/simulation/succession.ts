import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { holderOf } from "../../packages/jibe/src/controllers/claimed-run.ts";
import type { CallGate } from "./call-gate.ts";
import { type Planted, plantIn } from "./planted-bugs.ts";
import { type Ready, Reconciler, type ReconcilerOptions } from "./reconciler.ts";
import { phaseOf } from "./requests.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { ServerLife } from "./server-life.ts";
import { type SimulatedWorld, serverNamespace } from "./simulated-world.ts";

export interface SuccessionOptions {
  readonly world: SimulatedWorld;
  readonly gate: () => CallGate;
  readonly random: SeededRandom;
  readonly planted: Planted | undefined;
  readonly trace: (line: string) => void;
  readonly onViolation: (line: string) => void;
  readonly reconciling: Pick<ReconcilerOptions, "objects" | "read" | "hasEnded">;
}

/** The life that takes work now. */
interface Current {
  readonly life: ServerLife;
  readonly reconciler: Reconciler;
  isReady: boolean;
}

const mostLateCalls = 6;
const longestLateMs = 5000;

/** Whether a file is where servers keep what their runs have started. */
export const isAccount = (key: string) => /-(itemoperations|volumesnapshots|volumeinfo)\.json/.test(key);
const nameOf = (life: number) => `server-${life}`;

/** The servers, one after the other; and those that go on for a while after another has taken their place. */
export class Succession {
  /** Servers that were killed or lost their lease, and when. */
  readonly losses: { readonly name: string; readonly ms: number }[] = [];
  /** Files that a server wrote or deleted whose place another had taken, and that were not made anew since. */
  readonly lateKeys = new Set<string>();
  /** Those of them that the next server has read: what it writes there stems from them. */
  readonly #inherited = new Set<string>();
  /** When such a server wrote over the account of what a run has started. */
  readonly lateSaves: number[] = [];
  readonly #options: SuccessionOptions;
  /** Calls that a thawed server still makes before it notices. */
  readonly #lateCalls = new Map<ServerLife, number>();
  readonly #all: ServerLife[] = [];
  #current: Current | undefined;
  #lives = 0;
  #ids = 0;
  #isStarting = false;

  constructor(options: SuccessionOptions) {
    this.#options = options;
    this.#startLater(0);
  }

  /** The life that works, if one is up. */
  get working(): ServerLife | undefined {
    const { life, isReady } = this.#current ?? {};
    return isReady && !life?.isDead && !life?.isStopped ? life : undefined;
  }

  get isIdle(): boolean {
    return !this.#isStarting && this.#lateCalls.size === 0 && this.working !== undefined && this.#reconcilerIsIdle();
  }

  ready(): Ready[] {
    return this.working ? (this.#current?.reconciler.ready() ?? []) : [];
  }

  begin(ready: Ready): void {
    this.#current?.reconciler.begin(ready);
  }

  /** Another follows on one that was killed. */
  replaceDead(): void {
    if (this.#current?.life.isDead) this.#lose(this.#current.life);
  }

  /** The server loses its lease and, unless it has a bug, stops. */
  loseLease(life: ServerLife): void {
    this.#options.trace(`${life.name} loses its lease`);
    if (this.#options.planted !== "lease-ignored") life.stop();
    this.#lose(life);
  }

  /** The server stands still until long after its lease has expired; then it makes some calls before it notices. */
  freeze(life: ServerLife): void {
    const { world, random, trace } = this.#options;
    trace(`${life.name} is frozen`);
    life.freeze();
    this.#lose(life);
    this.#lateCalls.set(life, random.between(1, mostLateCalls));
    world.clock.after(random.between(20_000, 120_000), () => {
      trace(`${life.name} thaws`);
      life.thaw();
      world.clock.after(longestLateMs, () => this.#notice(life));
    });
  }

  /** When all is over: lets go of what the servers held. */
  forget(): void {
    for (const life of this.#all) life.forget();
  }

  #notice(life: ServerLife): void {
    if (!this.#lateCalls.delete(life)) return;
    this.#options.trace(`${life.name} notices that it has no lease`);
    life.stop();
  }

  #reconcilerIsIdle(): boolean {
    return this.#current?.reconciler.isIdle === true;
  }

  #lose(life: ServerLife): void {
    const { world, random } = this.#options;
    this.losses.push({ name: life.name, ms: world.clock.monotonicMs() });
    this.#current = undefined;
    this.#startLater(random.between(0, 60_000));
  }

  #startLater(ms: number): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    this.#options.world.clock.after(ms, () => {
      this.#isStarting = false;
      void this.#start();
    });
  }

  async #start(): Promise<void> {
    const { world, planted, trace, reconciling, gate } = this.#options;
    const { clock, provider } = world;
    const life = new ServerLife(nameOf(++this.#lives));
    this.#all.push(life);
    const current: Current = {
      life,
      reconciler: new Reconciler({ life, clock, trace, ...reconciling }),
      isReady: false,
    };
    this.#current = current;
    trace(`${life.name} starts`);
    await life.start({
      ...plantIn({ cluster: world.cluster, store: world.store }, planted),
      provider,
      clock,
      namespace: serverNamespace,
      newId: () => `id-${++this.#ids}`,
      call: (caller, name, effect) => gate().call(caller, name, effect),
      onEffect: (actor, name) => this.#witness(actor, name),
    });
    current.isReady = true;
  }

  /** Sees every call that reaches the world, and what came of it. */
  #witness(life: ServerLife, name: string): () => void {
    const isLate = this.#isReplaced(life);
    if (isLate) this.#judgeLate(life, name);
    const run = this.#runOf(name);
    const before = run();
    return () => {
      const [, verb = "", key = ""] = /^store (get|put|delete) (.*)$/.exec(name) ?? [];
      const isWrite = verb === "put" || verb === "delete";
      if (isLate && isWrite) this.lateKeys.add(key);
      if (!isLate) this.#noteInTime(verb, key);
      if (isLate && isWrite && isAccount(key)) this.lateSaves.push(this.#options.world.clock.monotonicMs());
      if (isLate && before) this.#judgeLatePatch(life, before, run());
    };
  }

  #noteInTime(verb: string, key: string): void {
    if (verb === "get" && this.lateKeys.has(key)) this.#inherited.add(key);
    if (verb === "delete") this.#inherited.delete(key);
    if ((verb === "put" || verb === "delete") && !this.#inherited.has(key)) this.lateKeys.delete(key);
  }

  #isReplaced({ name }: ServerLife): boolean {
    return name !== nameOf(this.#lives);
  }

  /** A server without its lease must not write beside the next one, except for what it does before it can notice. */
  #judgeLate(life: ServerLife, name: string): void {
    const left = this.#lateCalls.get(life);
    if (left === undefined) {
      if (!/^(cluster (create|patch|update|delete)|store (put|delete))/.test(name)) return;
      this.#options.onViolation(`${life.name} wrote after it had lost its lease: ${name}`);
      return;
    }
    this.#options.trace("  too late");
    if (left > 1) this.#lateCalls.set(life, left - 1);
    else queueMicrotask(() => this.#notice(life)); // this call is on its way already
  }

  /** Whatever a late server does, it must not touch the status of a run that another has taken. */
  #judgeLatePatch(life: ServerLife, before: KubernetesObject, after: KubernetesObject | undefined): void {
    const holder = holderOf(before);
    if (holder === undefined || holder === life.name || !after || phaseOf(after) === "Deleting") return;
    if (JSON.stringify(before["status"]) === JSON.stringify(after["status"])) return;
    this.#options.onViolation(`${life.name} changed the status of ${before.metadata.name}, which ${holder} holds`);
  }

  /** Reads the backup or restore that a call is about to patch. */
  #runOf(name: string): () => KubernetesObject | undefined {
    const [, resource = "", object = ""] =
      /^cluster patch ((?:backups|restores)\.velero\.io) [^/]+\/(.*)$/.exec(name) ?? [];
    return () => (resource === "" ? undefined : this.#options.world.cluster.read(resource, object, serverNamespace));
  }
}
