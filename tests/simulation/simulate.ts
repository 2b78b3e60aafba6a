import { isEnded, type ObjectStore } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { Controller } from "../../packages/jibe/src/controllers/controller.ts";
import { type Caller, CallGate } from "./call-gate.ts";
import { checkWorld } from "./invariants.ts";
import { type Planted, plantIn } from "./planted-bugs.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import { ServerLife } from "./server-life.ts";
import {
  backupName,
  requestedBackup,
  requestedRestore,
  restoreName,
  type SimulatedWorld,
  serverNamespace,
  simulatedWorld,
} from "./simulated-world.ts";
import { Stepper } from "./stepper.ts";
import { drawWeather, type FaultKind, type Weather } from "./weather.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly planted?: Planted | undefined;
}

/** What a run was like and what it broke. */
export interface SimulationReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly transitions: ReadonlyMap<string, number>;
  readonly phases: Readonly<Record<string, string | undefined>>;
  readonly steps: number;
  readonly trace: readonly string[];
}

const mostSteps = 20_000;
const mostMs = 24 * 3_600_000;
const objects = { backup: ["backups.velero.io", backupName], restore: ["restores.velero.io", restoreName] } as const;
type ObjectKind = keyof typeof objects;

/** Runs one seed to its end. The same seed takes the same steps. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const random = seededRandom(options.seed);
  Math.random = () => random.next(); // delays of retries are spread by chance, too
  const simulation = new Simulation(options, random);
  await new Stepper(() => simulation.step()).run();
  return simulation.report();
}

interface ReconcileState {
  isRunning: boolean;
  seenVersion: string | undefined;
  dueMs: number | undefined;
  failures: number;
}

/** The life that takes work now, and what each of its controllers does. */
interface Current {
  readonly life: ServerLife;
  readonly states: Map<string, ReconcileState>;
  isReady: boolean;
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #weather: Weather;
  readonly #world: SimulatedWorld;
  readonly #gate: CallGate;
  readonly #faults = new Map<FaultKind, number>();
  readonly #transitions = new Map<string, number>();
  readonly #phases: Record<string, string | undefined> = {};
  readonly #violations: string[] = [];
  readonly #trace: string[] = [];
  readonly #troubledSaves: { readonly server: string; readonly ms: number }[] = [];
  readonly #losses: { readonly name: string; readonly ms: number }[] = [];
  readonly #cancelAfterSteps: Partial<Record<ObjectKind, number>>;
  #current: Current | undefined;
  #lives = 0;
  #isStarting = false;
  #steps = 0;
  #ids = 0;

  constructor(options: SimulationOptions, random: SeededRandom) {
    this.#options = options;
    this.#random = random;
    this.#weather = drawWeather(random);
    this.#world = simulatedWorld(random, {
      overwrites: options.planted === "item-written-twice",
      hasOperations: this.#weather.hasOperations,
    });
    this.#gate = new CallGate({
      random,
      clock: this.#world.clock,
      weather: this.#weather,
      onFault: (fault, caller, name) => this.#noteFault(fault, caller, name),
      trace: (line) => void this.#trace.push(line),
      mayLose: () => this.#mayLose(),
    });
    this.#cancelAfterSteps = {
      ...(this.#weather.cancelBackup ? { backup: random.between(1, 300) } : {}),
      ...(this.#weather.cancelRestore ? { restore: random.between(1, 300) } : {}),
    };
    this.#world.cluster.add(requestedBackup());
    this.#startLater(0);
  }

  /** Does one thing out of all that could happen next; false at the end. */
  async step(): Promise<boolean> {
    this.#steps++;
    this.#observe();
    if (this.#steps > mostSteps || this.#world.clock.monotonicMs() > mostMs) {
      this.#violations.push(`no end after ${this.#steps} steps: ${JSON.stringify(this.#phases)}`);
      return false;
    }
    this.#act();
    this.#strike();
    const ready = this.#ready();
    const waiting = this.#gate.waiting.length;
    if (ready.length + waiting === 0) {
      if (this.#isFinished()) return this.#finish();
      if (await this.#world.clock.advanceToNext()) return true;
      this.#violations.push(`stuck: ${JSON.stringify(this.#phases)}`);
      return false;
    }
    const chosen = this.#random.between(0, ready.length + waiting - 1);
    if (chosen < ready.length) this.#begin(ready[chosen] as Ready);
    else this.#gate.advance();
    return true;
  }

  report(): SimulationReport {
    return {
      seed: this.#options.seed,
      violations: this.#violations,
      faults: this.#faults,
      transitions: this.#transitions,
      phases: this.#phases,
      steps: this.#steps,
      trace: this.#trace,
    };
  }

  async #finish(): Promise<false> {
    const { cluster, store, provider, created, clock } = this.#world;
    this.#trace.push(`end at ${clock.monotonicMs()}: ${JSON.stringify(this.#phases)}`);
    this.#violations.push(
      ...(await checkWorld({
        cluster,
        store,
        provider,
        created,
        losses: this.#losses,
        troubledSaves: this.#troubledSaves,
      })),
    );
    return false;
  }

  #count(fault: FaultKind): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  #noteFault(fault: FaultKind, { name: server }: Caller, call: string): void {
    this.#count(fault);
    if (/^store put .*-(itemoperations|volumesnapshots)/.test(call)) {
      this.#troubledSaves.push({ server, ms: this.#world.clock.monotonicMs() });
    }
  }

  #mayLose(): boolean {
    return this.#losses.length < this.#weather.mostLosses;
  }

  /** Notes phases as they change. */
  #observe(): void {
    for (const kind of Object.keys(objects) as ObjectKind[]) {
      const phase = phaseOf(this.#read(kind));
      const before = this.#phases[kind];
      if (phase === before) continue;
      const transition = `${kind} ${before ?? "New"} -> ${phase ?? "New"}`;
      this.#trace.push(transition);
      this.#transitions.set(transition, (this.#transitions.get(transition) ?? 0) + 1);
      if (isEnded(before)) this.#violations.push(`a final phase changed: ${transition}`);
      this.#phases[kind] = phase;
    }
    const { current } = { current: this.#current };
    if (current?.life.isDead) this.#lose(current.life);
  }

  /** What the user does: asks for a restore once there is a backup, and cancels when the weather says so. */
  #act(): void {
    const backup = phaseOf(this.#read("backup"));
    const hasBackup = backup === "Completed" || backup === "PartiallyFailed";
    if (hasBackup && !this.#read("restore")) this.#world.cluster.add(requestedRestore());
    for (const kind of Object.keys(objects) as ObjectKind[]) {
      const found = this.#read(kind);
      const steps = this.#cancelAfterSteps[kind];
      if (!found || steps === undefined) continue;
      this.#cancelAfterSteps[kind] = steps - 1;
      if (steps > 0) continue;
      delete this.#cancelAfterSteps[kind];
      if (isEnded(phaseOf(found))) continue;
      this.#count(`cancel-${kind}`);
      this.#trace.push(`user cancels the ${kind}`);
      this.#world.cluster.add({ ...found, spec: { ...(found["spec"] as object), cancel: true } });
    }
  }

  #strike(): void {
    if (this.#random.chance(this.#weather.outage)) {
      this.#count("outage");
      this.#trace.push("the API server goes away");
      this.#gate.beginOutage(30_000);
    }
    const current = this.#current;
    if (!current?.isReady || !this.#mayLose() || !this.#random.chance(this.#weather.leaseLost)) return;
    this.#count("lease-lost");
    this.#trace.push(`${current.life.name} loses its lease`);
    if (this.#options.planted !== "lease-ignored") current.life.stop();
    this.#lose(current.life);
  }

  #lose(life: ServerLife): void {
    this.#losses.push({ name: life.name, ms: this.#world.clock.monotonicMs() });
    this.#current = undefined;
    this.#startLater(this.#random.between(0, 60_000));
  }

  #startLater(ms: number): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    this.#world.clock.after(ms, () => {
      this.#isStarting = false;
      void this.#start();
    });
  }

  async #start(): Promise<void> {
    const life = new ServerLife(`server-${++this.#lives}`);
    const current: Current = { life, states: new Map(), isReady: false };
    this.#current = current;
    this.#trace.push(`${life.name} starts`);
    const { cluster, store, provider, clock } = this.#world;
    const planted = plantIn({ cluster, store: store as ObjectStore }, this.#options.planted);
    await life.start({
      ...planted,
      provider,
      clock,
      namespace: serverNamespace,
      newId: () => `id-${++this.#ids}`,
      call: (caller, name, effect) => this.#gate.call(caller, name, effect),
      onEffect: (late, name) => this.#checkLease(late, name),
    });
    current.isReady = true;
  }

  /** A server without its lease must not write beside the next one. */
  #checkLease(life: ServerLife, name: string): void {
    if (this.#current === undefined || life === this.#current.life) return;
    if (!/^(cluster (create|patch|update|delete)|store (put|delete))/.test(name)) return;
    this.#violations.push(`${life.name} wrote after it had lost its lease: ${name}`);
  }

  #ready(): Ready[] {
    const current = this.#current;
    if (!current?.isReady || current.life.isDead || current.life.isStopped) return [];
    const nowMs = this.#world.clock.monotonicMs();
    return current.life.controllers.flatMap((controller) => {
      const kind = controller.type.resource === "backups" ? "backup" : "restore";
      const version = this.#read(kind)?.metadata.resourceVersion;
      const key = controller.name;
      const state = current.states.get(key) ?? {
        isRunning: false,
        seenVersion: undefined,
        dueMs: undefined,
        failures: 0,
      };
      current.states.set(key, state);
      const isDue = state.dueMs !== undefined && state.dueMs <= nowMs;
      const isDirty = state.dueMs === undefined && version !== state.seenVersion;
      return version !== undefined && !state.isRunning && (isDue || isDirty)
        ? [{ controller, kind, state, version }]
        : [];
    });
  }

  #begin({ controller, kind, state, version }: Ready): void {
    const life = this.#current?.life;
    if (!life) return;
    state.isRunning = true;
    state.seenVersion = version;
    state.dueMs = undefined;
    this.#trace.push(`${life.name} reconciles ${controller.name}`);
    controller
      .reconcile(objects[kind][1], life.scope)
      .then(
        ({ requeueAfterMs }) => {
          state.failures = 0;
          if (requeueAfterMs !== undefined) this.#dueIn(state, requeueAfterMs);
          else if (controller.resyncMs !== undefined && !isEnded(phaseOf(this.#read(kind))))
            this.#resync(state, controller.resyncMs);
        },
        (error: unknown) => {
          this.#trace.push(`  ${controller.name} failed: ${error instanceof Error ? error.message : String(error)}`);
          this.#dueIn(state, Math.min(60_000, 200 * 2 ** state.failures++));
        },
      )
      .finally(() => {
        state.isRunning = false;
      });
  }

  #dueIn(state: ReconcileState, ms: number): void {
    state.dueMs = this.#world.clock.monotonicMs() + ms;
    this.#world.clock.after(ms, () => {});
  }

  /** Another look some time later, unless something else happens first. */
  #resync(state: ReconcileState, ms: number): void {
    this.#world.clock.after(ms, () => {
      if (!state.isRunning && state.dueMs === undefined) state.dueMs = this.#world.clock.monotonicMs();
    });
  }

  #isFinished(): boolean {
    if (this.#isStarting || !this.#current?.isReady) return false;
    const [backup, restore] = [this.#read("backup"), this.#read("restore")];
    if (!isEnded(phaseOf(backup)) || (restore && !isEnded(phaseOf(restore)))) return false;
    return [...this.#current.states.values()].every(({ isRunning, dueMs }) => !isRunning && dueMs === undefined);
  }

  #read(kind: ObjectKind): KubernetesObject | undefined {
    return this.#world.cluster.read(objects[kind][0], objects[kind][1], serverNamespace);
  }
}

interface Ready {
  readonly controller: Controller;
  readonly kind: ObjectKind;
  readonly state: ReconcileState;
  readonly version: string;
}

function phaseOf(found: KubernetesObject | undefined): string | undefined {
  return (found?.["status"] as { phase?: string } | undefined)?.phase;
}
