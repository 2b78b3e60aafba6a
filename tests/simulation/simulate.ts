import { isEnded } from "@jibe/engine";
import { type Caller, CallGate } from "./call-gate.ts";
import { checkWorld } from "./invariants.ts";
import type { Planted } from "./planted-bugs.ts";
import { phaseOf, type RequestedObject, readRequested, User } from "./requests.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import { type RunPlan, runPlans, type SimulatedWorld, simulatedWorld } from "./simulated-world.ts";
import { Stepper } from "./stepper.ts";
import { isAccount, Succession } from "./succession.ts";
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
  readonly steps: number;
  readonly trace: readonly string[];
}

const mostSteps = 60_000;
const mostMs = 24 * 3_600_000;

/** Runs one seed to its end. The same seed takes the same steps. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const random = seededRandom(options.seed);
  Math.random = () => random.next(); // delays of retries are spread by chance, too
  const simulation = new Simulation(options, random);
  await new Stepper(() => simulation.step()).run();
  return simulation.report();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #weather: Weather;
  readonly #plans: readonly RunPlan[];
  readonly #world: SimulatedWorld;
  readonly #gate: CallGate;
  readonly #servers: Succession;
  readonly #user: User;
  readonly #faults = new Map<FaultKind, number>();
  readonly #transitions = new Map<string, number>();
  readonly #phases = new Map<string, string>();
  readonly #violations: string[] = [];
  readonly #trace: string[] = [];
  readonly #troubledSaves: { readonly server: string; readonly ms: number }[] = [];
  #steps = 0;

  constructor(options: SimulationOptions, random: SeededRandom) {
    this.#options = options;
    this.#random = random;
    this.#weather = drawWeather(random);
    this.#plans = runPlans.slice(0, this.#weather.runs);
    const { hasOperations } = this.#weather;
    this.#world = simulatedWorld(random, { overwrites: options.planted === "item-written-twice", hasOperations });
    const { clock, cluster } = this.#world;
    const trace = (line: string) => void this.#trace.push(line);
    this.#gate = new CallGate({
      random,
      clock,
      weather: this.#weather,
      trace,
      onFault: (fault, caller, name) => this.#noteFault(fault, caller, name),
      mayLose: () => this.#mayLose(),
    });
    const tell = (line: string, fault: FaultKind | undefined) => {
      trace(line);
      if (fault) this.#count(fault);
    };
    this.#user = new User({ cluster, random, weather: this.#weather, plans: this.#plans, tell });
    this.#servers = new Succession({
      world: this.#world,
      gate: () => this.#gate,
      random,
      planted: options.planted,
      trace,
      onViolation: (line) => void this.#violations.push(line),
      reconciling: {
        objects: () => this.#user.asked,
        read: (object) => readRequested(cluster, object),
        hasEnded: (object) => this.#hasEnded(object),
      },
    });
  }

  /** Does one thing out of all that could happen next; false at the end. */
  async step(): Promise<boolean> {
    this.#steps++;
    this.#observe();
    if (this.#steps > mostSteps || this.#world.clock.monotonicMs() > mostMs) {
      this.#violations.push(`no end after ${this.#steps} steps: ${this.#standing()}`);
      return false;
    }
    this.#user.act();
    this.#strike();
    const ready = this.#servers.ready();
    const waiting = this.#gate.waiting.length;
    if (ready.length + waiting === 0) return this.#pass();
    const chosen = ready[this.#random.between(0, ready.length + waiting - 1)];
    if (chosen) this.#servers.begin(chosen);
    else this.#gate.advance();
    return true;
  }

  /** What came of it, once it is over. */
  report(): SimulationReport {
    this.#servers.forget();
    return {
      seed: this.#options.seed,
      violations: this.#violations,
      faults: this.#faults,
      transitions: this.#transitions,
      steps: this.#steps,
      trace: this.#trace,
    };
  }

  /** Nothing can happen now: time passes, or all is over. */
  async #pass(): Promise<boolean> {
    if (this.#servers.isIdle && this.#user.asked.every((object) => this.#hasEnded(object)))
      return this.#user.actAtLast() || this.#finish();
    if (await this.#world.clock.advanceToNext()) return true;
    this.#violations.push(`stuck: ${this.#standing()}`);
    return false;
  }

  async #finish(): Promise<false> {
    const { cluster, store, provider, created, clock } = this.#world;
    const { losses, lateKeys, lateSaves } = this.#servers;
    this.#trace.push(`end at ${clock.monotonicMs()}: ${this.#standing()}`);
    const asked = this.#user.asked;
    const troubledSaves = this.#troubledSaves;
    const hadDelays = this.#faults.has("delay");
    const work = { cluster, store, provider, created, asked };
    const aftermath = { ...work, losses, lateKeys, lateSaves, troubledSaves, hadDelays };
    this.#violations.push(...(await checkWorld(aftermath, this.#plans)));
    return false;
  }

  #standing(): string {
    return JSON.stringify(Object.fromEntries(this.#phases));
  }

  #hasEnded(object: RequestedObject): boolean {
    const found = readRequested(this.#world.cluster, object);
    const phase = phaseOf(found);
    if (!found || isEnded(phase)) return found?.metadata.deletionTimestamp === undefined;
    // A backup whose deletion met errors stays as it is until someone asks again.
    return object.kind === "deletion" ? phase === "Processed" : phase === "Deleting";
  }

  #count(fault: FaultKind): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  #noteFault(fault: FaultKind, { name: server }: Caller, call: string): void {
    this.#count(fault);
    if (call.startsWith("store put ") && isAccount(call)) {
      this.#troubledSaves.push({ server, ms: this.#world.clock.monotonicMs() });
    }
  }

  #mayLose(): boolean {
    return this.#servers.losses.length < this.#weather.mostLosses;
  }

  /** Notes phases as they change. */
  #observe(): void {
    for (const object of this.#user.asked) {
      const id = `${object.kind} ${object.name}`;
      const found = readRequested(this.#world.cluster, object);
      const phase = found ? (phaseOf(found) ?? "New") : "gone";
      const before = this.#phases.get(id) ?? "New";
      this.#phases.set(id, phase);
      if (phase === before) continue;
      this.#trace.push(`${id} ${before} -> ${phase}`);
      const transition = `${object.kind} ${before} -> ${phase}`;
      this.#transitions.set(transition, (this.#transitions.get(transition) ?? 0) + 1);
      if (isEnded(before) && phase !== "Deleting" && phase !== "gone")
        this.#violations.push(`a final phase changed: ${id} ${before} -> ${phase}`);
    }
    this.#servers.replaceDead();
  }

  #strike(): void {
    if (this.#random.chance(this.#weather.outage)) {
      this.#count("outage");
      this.#trace.push("the API server goes away");
      this.#gate.beginOutage(30_000);
    }
    const life = this.#servers.working;
    if (!life || !this.#mayLose() || !this.#random.chance(this.#weather.leaseLost)) return;
    const isZombie = this.#random.chance(this.#weather.zombie);
    this.#count(isZombie ? "zombie" : "lease-lost");
    if (isZombie) this.#servers.freeze(life);
    else this.#servers.loseLease(life);
  }
}
