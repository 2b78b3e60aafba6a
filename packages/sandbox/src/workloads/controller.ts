import { type Clock, type Logger, messageOf } from "@jibe/base";
import type { Change, ClusterPort, KubeObject, Resource } from "./cluster-port.ts";

/** What reconcilers work with. */
export interface World {
  readonly port: ClusterPort;
  readonly clock: Clock;
}

/** Brings the world nearer to what one object asks for. It may be called at any time and as often as one likes. */
export type Reconciler = (world: World, object: KubeObject) => void;

export interface Controller {
  readonly resource: Resource;
  readonly reconcile: Reconciler;
  /** Objects of `resource` that a change of something else concerns; undefined when it concerns none. */
  readonly concerns?: (change: Change, port: ClusterPort) => readonly { namespace: string; name: string }[];
  /** Called instead of `reconcile` when the object is gone. */
  readonly gone?: (world: World, namespace: string, name: string) => void;
}

const firstRetryMs = 100;
const maxRetryMs = 30_000;
/** How much is done before others get a turn. */
const batch = 50;

/**
 * Runs controllers on the changes of a cluster. Keys wait in one queue, each at most once; a reconcile that fails is
 * tried again after a while, longer each time. Nothing polls.
 */
export class ControllerRunner implements Disposable {
  readonly #world: World;
  readonly #log: Logger;
  readonly #controllers: readonly Controller[];
  readonly #queue = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #retries = new Map<string, Disposable>();
  readonly #listening: Disposable;
  #isScheduled = false;
  #isStopped = false;

  constructor(world: World, controllers: readonly Controller[], log: Logger) {
    this.#world = world;
    this.#log = log;
    this.#controllers = controllers;
    this.#listening = world.port.listen((change) => this.#onChange(change));
    for (const [index, { resource }] of controllers.entries()) {
      for (const object of world.port.list(resource)) this.#add(index, object.metadata);
    }
  }

  /** Whether nothing is waiting to be done, failed attempts aside. */
  get isIdle(): boolean {
    return this.#queue.size === 0;
  }

  #onChange(change: Change): void {
    for (const [index, { resource, concerns }] of this.#controllers.entries()) {
      if (change.resource === resource) this.#add(index, change.object.metadata);
      for (const key of concerns?.(change, this.#world.port) ?? []) this.#add(index, key);
    }
  }

  #add(index: number, { namespace = "", name }: { readonly namespace?: string; readonly name: string }): void {
    this.#queue.add(`${index} ${namespace} ${name}`);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#run();
    });
  }

  #run(): void {
    for (const key of [...this.#queue].slice(0, batch)) {
      if (this.#isStopped) return;
      this.#queue.delete(key);
      this.#reconcile(key);
    }
    if (this.#queue.size > 0) this.#schedule();
  }

  #reconcile(key: string): void {
    const [index, namespace = "", name = ""] = key.split(" ");
    const controller = this.#controllers[Number(index)];
    if (!controller) return;
    try {
      const object = this.#world.port.get(controller.resource, namespace, name);
      if (object) controller.reconcile(this.#world, object);
      else controller.gone?.(this.#world, namespace, name);
      this.#failures.delete(key);
    } catch (error) {
      this.#log.warn("workload not simulated", {
        resource: controller.resource,
        namespace,
        name,
        error: messageOf(error),
      });
      this.#retry(key);
    }
  }

  #retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#retries.get(key)?.[Symbol.dispose]();
    const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1));
    const timer = this.#world.clock.after(delayMs, () => {
      this.#retries.delete(key);
      this.#queue.add(key);
      this.#schedule();
    });
    this.#retries.set(key, timer);
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#listening[Symbol.dispose]();
    for (const timer of this.#retries.values()) timer[Symbol.dispose]();
    this.#queue.clear();
  }
}
