import { AppError } from "@jibe/base";
import type { FakeClock } from "@jibe/testkit";
import type { SeededRandom } from "./seeded-random.ts";
import { type CallFault, callFaults, type FaultKind, type Weather } from "./weather.ts";

/** Who makes calls: one life of a server. */
export interface Caller {
  readonly name: string;
  readonly isDead: boolean;
  /** Whether its calls get no turn for now. */
  readonly isFrozen: boolean;
  kill(): void;
}

interface Waiting {
  readonly caller: Caller;
  readonly name: string;
  readonly order: number;
  readonly go: () => void;
}

export interface GateOptions {
  readonly random: SeededRandom;
  readonly clock: FakeClock;
  readonly weather: Weather;
  readonly onFault: (fault: FaultKind, caller: Caller, name: string) => void;
  readonly trace: (line: string) => void;
  /** Whether another server may be lost. */
  readonly mayLose: () => boolean;
}

/** Where every call of a server waits for its turn, and where its fate is drawn. */
export class CallGate {
  readonly #options: GateOptions;
  #waiting: Waiting[] = [];
  #order = 0;
  #outageUntilMs = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Until then no call reaches the API server. */
  beginOutage(ms: number): void {
    this.#outageUntilMs = this.#options.clock.monotonicMs() + ms;
  }

  /** Calls that could get their turn, the dead ones forgotten. */
  get waiting(): readonly Waiting[] {
    this.#waiting = this.#waiting.filter(({ caller }) => !caller.isDead);
    return this.#waiting.filter(({ caller }) => !caller.isFrozen);
  }

  /** Gives one of the waiting calls its turn. */
  advance(): void {
    // By name first: what finished compressing first is chance that no seed governs.
    const choices = this.waiting.toSorted(
      (a, b) => compare(a.caller.name, b.caller.name) || compare(a.name, b.name) || a.order - b.order,
    );
    const chosen = this.#options.random.pick(choices);
    this.#waiting = this.#waiting.filter((each) => each !== chosen);
    this.#options.trace(`${chosen.caller.name} ${chosen.name}`);
    chosen.go();
  }

  /** Waits for a turn, then makes the call, or what chance makes of it. A dead caller hears nothing any more. */
  async call<T>(caller: Caller, name: string, effect: () => Promise<T>): Promise<T> {
    await this.#turn(caller, name);
    const fate = this.#fate(name);
    if (fate) {
      this.#options.onFault(fate, caller, name);
      this.#options.trace(`  ${fate}`);
    }
    try {
      return await heard(caller, await this.#meet(fate, caller, { name, effect }));
    } catch (error) {
      if (caller.isDead) return await forever();
      throw error;
    }
  }

  async #meet<T>(
    fate: CallFault | undefined,
    caller: Caller,
    { name, effect }: { readonly name: string; readonly effect: () => Promise<T> },
  ): Promise<T | typeof silence> {
    const { clock, random } = this.#options;
    switch (fate) {
      case "drop-request":
        throw new AppError("Unavailable", `${name}: connection refused`);
      case "refuse":
        throw new AppError("Internal", `${name}: something went wrong on the other side`);
      case "drop-answer":
        await effect();
        throw new AppError("Unavailable", `${name}: connection lost`);
      case "repeat":
        await effect().catch(() => undefined); // its answer was lost and it is sent again
        return effect();
      case "delay":
        await clock.sleep(random.between(1, 20_000), { signal: new AbortController().signal });
        return caller.isDead ? silence : effect();
      case "kill-before":
        caller.kill();
        return silence;
      case "kill-after":
        await effect().catch(() => undefined);
        caller.kill();
        return silence;
      case undefined:
        return effect();
    }
  }

  #turn(caller: Caller, name: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ caller, name, order: this.#order++, go: resolve });
    });
  }

  #fate(name: string): CallFault | undefined {
    const { random, weather, clock, mayLose } = this.#options;
    if (clock.monotonicMs() < this.#outageUntilMs && name.startsWith("cluster")) return "drop-request";
    return callFaults.find((fault) => {
      const strikes = random.chance(weather.calls[fault]);
      return strikes && (!fault.startsWith("kill") || mayLose());
    });
  }
}

const silence = Symbol("nobody is left to hear the answer");

function heard<T>(caller: Caller, answer: T | typeof silence): Promise<T> {
  return answer === silence || caller.isDead ? forever() : Promise.resolve(answer as T);
}

const forever = () => new Promise<never>(() => {});

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
