import { type Clock, forEachConcurrent, type Scope, withFields } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import { type Informer, type KubeClient, type KubeObject, processQueue, startInformer, WorkQueue } from "@jibe/kube";
import type { Controller } from "../controllers/controller.ts";

export interface ManagerOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly clock: Clock;
}

/**
 * Runs controllers until the scope is stopped: one informer for each type they watch, one queue for each controller. What runs
 * when it is stopped comes to its end first.
 */
export async function runControllers(
  controllers: readonly Controller[],
  { client, namespace, clock }: ManagerOptions,
  scope: Scope,
): Promise<void> {
  await using informers = new Informers(client, namespace, clock, scope);
  using subscriptions = new DisposableStack();
  const queues = controllers.map((controller) => {
    const queue = new WorkQueue<string>({ clock, firstDelayMs: 200, maxDelayMs: 60_000 });
    const own = informers.of(controller.type);
    const addAll = () => {
      for (const { metadata } of own.list()) queue.add(metadata.name);
    };
    subscriptions.use(own.subscribe(({ key }) => queue.add(nameOf(key))));
    for (const type of controller.alsoOn ?? []) subscriptions.use(informers.of(type).subscribe(addAll));
    return { controller, queue, addAll };
  });
  const stop = () => {
    for (const { queue } of queues) queue.shutDown();
  };
  scope.signal.addEventListener("abort", stop, { once: true });
  try {
    await forEachConcurrent(
      queues.flatMap(({ controller, queue, addAll }) => [
        () => work(controller, queue, scope),
        () => resync(controller, addAll, clock, scope),
      ]),
      { limit: queues.length * 2, each: (run) => run() },
      { ...scope, signal: new AbortController().signal }, // each of them ends by itself once the scope is stopped
    );
  } finally {
    scope.signal.removeEventListener("abort", stop);
  }
}

function work({ name, reconcile, workers = 1 }: Controller, queue: WorkQueue<string>, scope: Scope): Promise<void> {
  const own = withFields(scope, { controller: name });
  return processQueue(queue, { workers, handle: (key, inner) => reconcile(key, inner) }, own);
}

async function resync({ resyncMs }: Controller, addAll: () => void, clock: Clock, scope: Scope): Promise<void> {
  if (resyncMs === undefined) return;
  while (!scope.signal.aborted) {
    await clock.sleep(resyncMs, scope).catch(() => {}); // only a stopped scope makes it fail
    if (!scope.signal.aborted) addAll();
  }
}

const nameOf = (key: string) => key.slice(key.indexOf("/") + 1);

/** One informer a type, however many controllers watch it. */
class Informers implements AsyncDisposable {
  readonly #made = new Map<string, Informer<KubeObject>>();
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #clock: Clock;
  readonly #scope: Scope;

  constructor(client: KubeClient, namespace: string, clock: Clock, scope: Scope) {
    this.#client = client;
    this.#namespace = namespace;
    this.#clock = clock;
    this.#scope = scope;
  }

  of(type: ResourceType): Informer<KubeObject> {
    const known = this.#made.get(type.resource);
    if (known) return known;
    const options = { client: this.#client, type, namespace: this.#namespace, clock: this.#clock };
    const informer = startInformer<KubeObject>(options, this.#scope);
    this.#made.set(type.resource, informer);
    return informer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#made.values()].map((informer) => informer[Symbol.asyncDispose]()));
  }
}
