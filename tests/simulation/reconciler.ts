import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { FakeClock } from "@jibe/testkit";
import type { Controller } from "../../packages/jibe/src/controllers/controller.ts";
import type { RequestedObject, RequestKind } from "./requests.ts";
import type { ServerLife } from "./server-life.ts";

interface ReconcileState {
  isRunning: boolean;
  seenVersion: string | undefined;
  dueMs: number | undefined;
  failures: number;
}

/** A controller that could be called next. */
export interface Ready {
  readonly controller: Controller;
  readonly name: string;
  readonly version: string;
  readonly state: ReconcileState;
}

export interface ReconcilerOptions {
  readonly life: ServerLife;
  readonly clock: FakeClock;
  readonly objects: () => readonly RequestedObject[];
  readonly read: (object: RequestedObject) => KubernetesObject | undefined;
  readonly hasEnded: (object: RequestedObject) => boolean;
  readonly trace: (line: string) => void;
}

const kinds: Readonly<Record<string, RequestKind>> = {
  backups: "backup",
  restores: "restore",
  deletebackuprequests: "deletion",
};
const gone = "gone";

/** Looked at again after so long a time is as good as never. */
const longMs = 3_600_000;

/** Calls the controllers of one server as its informers and work queues would: when an object changed, or when it is due again. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #states = new Map<string, ReconcileState>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    return [...this.#states.values()].every(
      ({ isRunning, dueMs }) => !isRunning && (dueMs === undefined || dueMs - nowMs > longMs),
    );
  }

  ready(): Ready[] {
    const { life, clock, objects, read } = this.#options;
    const nowMs = clock.monotonicMs();
    const known = objects();
    return life.controllers.flatMap((controller) => {
      const own = known.filter(({ kind }) => kind === kinds[controller.type.resource]);
      const running = own.filter(({ name }) => this.#state(controller, name).isRunning).length;
      if (running >= (controller.workers ?? 1)) return [];
      return own.flatMap((object) => {
        const { name } = object;
        const state = this.#state(controller, name);
        const version = read(object)?.metadata.resourceVersion ?? gone;
        const isDue = state.dueMs !== undefined && state.dueMs <= nowMs;
        const isDirty = state.dueMs === undefined && version !== state.seenVersion;
        return !state.isRunning && (isDue || isDirty) ? [{ controller, name, version, state }] : [];
      });
    });
  }

  begin({ controller, name, version, state }: Ready): void {
    const { life, trace, hasEnded } = this.#options;
    state.isRunning = true;
    state.seenVersion = version;
    state.dueMs = undefined;
    trace(`${life.name} reconciles ${controller.name} ${name}`);
    const object = { kind: kinds[controller.type.resource] as RequestKind, name };
    controller
      .reconcile(name, life.scope)
      .then(
        ({ requeueAfterMs }) => {
          state.failures = 0;
          if (requeueAfterMs !== undefined) this.#dueIn(state, requeueAfterMs);
          else if (controller.resyncMs !== undefined && !hasEnded(object)) this.#resync(state, controller.resyncMs);
        },
        (error: unknown) => {
          trace(`  ${controller.name} ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
          this.#dueIn(state, Math.min(60_000, 200 * 2 ** state.failures++));
        },
      )
      .finally(() => {
        state.isRunning = false;
      });
  }

  #state({ name: controller }: Controller, name: string): ReconcileState {
    const key = `${controller} ${name}`;
    const known = this.#states.get(key);
    if (known) return known;
    const made = { isRunning: false, seenVersion: undefined, dueMs: undefined, failures: 0 };
    this.#states.set(key, made);
    return made;
  }

  #dueIn(state: ReconcileState, ms: number): void {
    const { clock } = this.#options;
    state.dueMs = clock.monotonicMs() + ms;
    if (ms <= longMs) clock.after(ms, () => {});
  }

  /** Another look some time later, unless something else happens first. */
  #resync(state: ReconcileState, ms: number): void {
    const { clock } = this.#options;
    clock.after(ms, () => {
      if (!state.isRunning && state.dueMs === undefined) state.dueMs = clock.monotonicMs();
    });
  }
}
