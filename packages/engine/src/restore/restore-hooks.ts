import { AppError, isRetriable, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { HookStatus, KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import type { ResourceType } from "../ports/cluster.ts";
import { hooksOfPod, type PodHook } from "./hook-spec.ts";
import { textAt, valueAt } from "./object-edits.ts";
import type { RestorePorts } from "./restore-request.ts";

/** What became of the hooks of a restore. */
export interface HookResults {
  readonly status: Required<HookStatus>;
  /** One for each hook that failed or did not run, with its pod's namespace. */
  readonly errors: readonly { readonly namespace: string; readonly message: string }[];
}

/**
 * The commands that run in restored pods, each as soon as its container is up. Every pod is on its own: one that fails, ends or never
 * starts holds up no other, and each wait has an end.
 */
export interface RestoreHooks extends AsyncDisposable {
  /** Begins to wait for the pod's containers, if it has hooks. */
  start(pod: KubernetesObject): void;
  /** Waits until every hook has run or cannot run any more. */
  finish(scope: Pick<Scope, "signal">): Promise<HookResults>;
}

export interface RestoreHooksOptions {
  readonly spec: RestoreSpec;
  readonly ports: Pick<RestorePorts, "cluster" | "clock">;
  /** The longest wait for a container whose hooks give none. */
  readonly maxWaitMs: number;
}

/** Hooks live in the scope given here, which must outlive the run: finalizing waits for them. */
export function createRestoreHooks(options: RestoreHooksOptions, scope: Scope): RestoreHooks {
  const stopping = new AbortController();
  const inner: Scope = { log: scope.log, signal: AbortSignal.any([scope.signal, stopping.signal]) };
  const running = new Set<Promise<void>>();
  const errors: { namespace: string; message: string }[] = [];
  let attempted = 0;
  return {
    start(pod) {
      const hooks = hooksOfPod(options.spec, pod);
      if (hooks.length === 0) return;
      attempted += hooks.length;
      const namespace = pod.metadata.namespace ?? "";
      const onError = (message: string) => {
        errors.push({ namespace, message });
        inner.log.error("restore hook failed", { namespace, name: pod.metadata.name, error: message });
      };
      const task = new PodHooks(pod, hooks, options, onError).run(inner).finally(() => running.delete(task));
      running.add(task);
    },
    async finish({ signal }) {
      using _ = abortWith(signal, stopping);
      while (running.size > 0) await Promise.all(running);
      signal.throwIfAborted();
      return { status: { hooksAttempted: attempted, hooksFailed: errors.length }, errors };
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new AppError("Unavailable", "the restore was stopped"));
      await Promise.all(running);
    },
  };
}

function abortWith(signal: AbortSignal, controller: AbortController): Disposable {
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
}

const followAgainMs = 1000;

const podType: ResourceType = {
  group: "",
  version: "v1",
  resource: "pods",
  kind: "Pod",
  namespaced: true,
  verbs: [],
  shortNames: ["po"],
  singular: "pod",
  subresources: ["exec", "status"],
};

/** The hooks of one pod. */
class PodHooks {
  readonly #options: RestoreHooksOptions;
  readonly #onError: (message: string) => void;
  readonly #namespace: string;
  readonly #pod: string;
  readonly #pending: Map<string, PodHook[]>;

  constructor(
    pod: KubernetesObject,
    hooks: readonly PodHook[],
    options: RestoreHooksOptions,
    onError: (message: string) => void,
  ) {
    this.#options = options;
    this.#onError = onError;
    this.#namespace = pod.metadata.namespace ?? "";
    this.#pod = pod.metadata.name;
    this.#pending = Map.groupBy(hooks, ({ container }) => container);
    for (const container of [...this.#pending.keys()].filter((name) => !hasContainer(pod, name))) {
      this.#giveUp("the pod has no such container", container);
    }
  }

  /** Never rejects: what goes wrong is an error of a hook. */
  async run(scope: Scope): Promise<void> {
    const { clock } = this.#options.ports;
    const startedMs = clock.monotonicMs();
    if (this.#pending.size === 0) return;
    try {
      const what = "waiting for the containers of restored pods";
      await withDeadline({ ms: this.#waitMs(), clock, what }, scope, (inner) => this.#persist(startedMs, inner));
    } catch (error) {
      this.#giveUp(messageOf(error));
    }
  }

  #waitMs(): number {
    const waits = [...this.#pending.values()].flat().map(({ waitTimeoutMs }) => waitTimeoutMs);
    return waits.some((ms) => ms <= 0) ? this.#options.maxWaitMs : Math.max(...waits);
  }

  /** Follows the pod again after a failure that may pass, such as a restart of the API server. */
  async #persist(startedMs: number, scope: Scope): Promise<void> {
    while (true) {
      try {
        return await this.#follow(startedMs, scope);
      } catch (error) {
        scope.signal.throwIfAborted();
        if (!isRetriable(error)) throw error;
        await this.#options.ports.clock.sleep(followAgainMs, scope);
      }
    }
  }

  async #follow(startedMs: number, scope: Scope): Promise<void> {
    const name = { namespace: this.#namespace, name: this.#pod };
    for await (const pod of this.#options.ports.cluster.follow(podType, name, scope)) {
      if (!pod) return this.#giveUp("the pod was deleted");
      const phase = textAt(pod, "status", "phase");
      if (phase === "Succeeded" || phase === "Failed") return this.#giveUp(`the pod has ended as ${phase}`);
      for (const [container, hooks] of [...this.#pending]) {
        if (
          !isUp(
            pod,
            container,
            hooks.some(({ waitForReady }) => waitForReady),
          )
        )
          continue;
        if (!(await this.#runContainer(container, hooks, startedMs, scope)))
          return this.#giveUp("an earlier hook failed");
      }
      if (this.#pending.size === 0) return;
    }
  }

  /** Runs a container's hooks in order. False when one failed that must not fail. */
  async #runContainer(container: string, hooks: PodHook[], startedMs: number, scope: Scope): Promise<boolean> {
    for (let hook = hooks.shift(); hook; hook = hooks.shift()) {
      const failure = await this.#runHook(hook, startedMs, scope);
      if (failure === undefined) continue;
      this.#onError(`hook ${hook.name} in container ${container} ${failure}`);
      if (hook.onError === "Fail") return false;
    }
    this.#pending.delete(container);
    return true;
  }

  async #runHook(hook: PodHook, startedMs: number, scope: Scope): Promise<string | undefined> {
    const { cluster, clock } = this.#options.ports;
    if (hook.waitTimeoutMs > 0 && clock.monotonicMs() - startedMs > hook.waitTimeoutMs)
      return "expired before executing";
    const { container, command, execTimeoutMs: timeoutMs } = hook;
    try {
      const request = { namespace: this.#namespace, pod: this.#pod, container, command, timeoutMs };
      const { exitCode, stderr } = await cluster.exec(request, scope);
      if (exitCode === 0) return undefined;
      const said = stderr.trim() === "" ? "" : `: ${stderr.trim().slice(0, 500)}`;
      return `failed to execute, err: command terminated with exit code ${exitCode}${said}`;
    } catch (error) {
      return `failed to execute, err: ${messageOf(error)}`;
    }
  }

  /** Records every hook that has not run, of one container or of all. */
  #giveUp(why: string, only?: string): void {
    for (const [container, hooks] of [...this.#pending]) {
      if (only !== undefined && only !== container) continue;
      this.#pending.delete(container);
      for (const { name } of hooks) {
        this.#onError(
          `hook ${name} in container ${container} in pod ${this.#namespace}/${this.#pod} not executed: ${why}`,
        );
      }
    }
  }
}

function hasContainer(pod: KubernetesObject, name: string): boolean {
  const containers = valueAt(pod, "spec", "containers");
  return Array.isArray(containers) && containers.some((container) => textAt(container, "name") === name);
}

function isUp(pod: KubernetesObject, container: string, mustBeReady: boolean): boolean {
  const statuses = valueAt(pod, "status", "containerStatuses");
  const status = Array.isArray(statuses) ? statuses.find((each) => textAt(each, "name") === container) : undefined;
  return mustBeReady ? valueAt(status, "ready") === true : valueAt(status, "state", "running") !== undefined;
}
