import {
  AppError,
  type Clock,
  formatGoDuration,
  type LabelSelector,
  type Labels,
  matchesLabels,
  messageOf,
  parseGoDuration,
  type Scope,
  withDeadline,
  withFields,
} from "@jibe/base";
import type { BackupResourceHookSpec, ExecHook, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { Cluster } from "../ports/cluster.ts";
import { includesExcludes } from "../select/includes-excludes.ts";
import { type ResourceFinder, resourceFilter } from "../select/resource-filter.ts";
import { hookFromAnnotations } from "./hook-annotations.ts";

export type HookPhase = "pre" | "post";

/** A hook of the spec, with its selection resolved. */
export interface ResourceHook {
  readonly name: string;
  readonly pre: readonly { exec?: ExecHook }[];
  readonly post: readonly { exec?: ExecHook }[];
  appliesTo(pod: { readonly namespace: string; readonly labels: Labels }): boolean;
}

const defaultTimeoutMs = 30_000;

/** Resolves the spec's hooks. A selector that cannot be read fails with `InvalidArgument`, and so does the whole backup. */
export function resourceHooks(specs: readonly BackupResourceHookSpec[], types: ResourceFinder): ResourceHook[] {
  return specs.map((spec) => {
    const namespaces = includesExcludes({ includes: spec.includedNamespaces, excludes: spec.excludedNamespaces });
    const resources = resourceFilter({ includes: spec.includedResources, excludes: spec.excludedResources }, types);
    checkSelector(spec.name, spec.labelSelector);
    return {
      name: spec.name,
      pre: spec.pre ?? [],
      post: spec.post ?? [],
      appliesTo: ({ namespace, labels }) =>
        namespaces.shouldInclude(namespace) &&
        resources.shouldInclude("pods") &&
        (!spec.labelSelector || matchesLabels(spec.labelSelector, labels)),
    };
  });
}

function checkSelector(hook: string, selector: LabelSelector | undefined): void {
  for (const { operator, values = [] } of selector?.matchExpressions ?? []) {
    const needsValues = operator === "In" || operator === "NotIn";
    const known = needsValues || operator === "Exists" || operator === "DoesNotExist";
    if (!known || needsValues !== values.length > 0) {
      throw new AppError("InvalidArgument", `hook ${JSON.stringify(hook)} has an invalid label selector`, {
        fields: { operator, values },
      });
    }
  }
}

export interface ExecHooksOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly hooks: readonly ResourceHook[];
}

/** Runs the hooks of a backup's pods and counts them. */
export class ExecHooks {
  readonly #options: ExecHooksOptions;
  #attempted = 0;
  #failed = 0;

  constructor(options: ExecHooksOptions) {
    this.#options = options;
  }

  get attempted(): number {
    return this.#attempted;
  }

  get failed(): number {
    return this.#failed;
  }

  /**
   * Runs the hooks of one phase on a pod, in order. A failure is logged as an error and counted. The result is the error of a
   * hook whose mode is `Fail`: it stopped the hooks after it, which still count as attempted.
   */
  async run(pod: KubernetesObject, phase: HookPhase, scope: Scope): Promise<unknown> {
    const annotated = hookFromAnnotations(pod.metadata.annotations ?? {}, phase, scope.log);
    const hooks = annotated
      ? [{ name: "<from-annotation>", source: "annotation", exec: annotated }]
      : this.#fromSpec(pod, phase);
    let stopped: { readonly error: unknown } | undefined;
    for (const { name, source, exec } of hooks) {
      this.#attempted++;
      if (stopped) continue;
      const hookScope = withFields(scope, { hookSource: source, hookType: "exec", hookPhase: phase });
      const failure = await this.#attempt(pod, { name, exec }, hookScope);
      if (!failure) continue;
      this.#failed++;
      if (exec.onError === "Fail") stopped = failure;
    }
    return stopped?.error;
  }

  #fromSpec(pod: KubernetesObject, phase: HookPhase): { name: string; source: string; exec: ExecHook }[] {
    const { namespace = "", labels = {} } = pod.metadata;
    return this.#options.hooks
      .filter((hook) => hook.appliesTo({ namespace, labels }))
      .flatMap((hook) => hook[phase].map(({ exec }) => ({ name: hook.name, source: "spec", exec })))
      .filter((hook): hook is { name: string; source: string; exec: ExecHook } => hook.exec !== undefined);
  }

  async #attempt(
    pod: KubernetesObject,
    hook: { readonly name: string; readonly exec: ExecHook },
    scope: Scope,
  ): Promise<{ readonly error: unknown } | undefined> {
    try {
      await this.#execute(pod, hook, scope);
      return undefined;
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.error("Error executing hook", { error: messageOf(error) });
      return { error };
    }
  }

  async #execute(
    pod: KubernetesObject,
    { name, exec }: { readonly name: string; readonly exec: ExecHook },
    scope: Scope,
  ): Promise<void> {
    const container = containerOf(pod, exec.container ?? "");
    if (exec.command.length === 0) throw new AppError("InvalidArgument", "command is required");
    const phase = (pod["status"] as { phase?: string } | undefined)?.phase;
    if (phase === "Succeeded" || phase === "Failed") {
      scope.log.info("Pod has ended, its hooks do not run", { hookName: name, podPhase: phase });
      return;
    }
    const timeoutMs = parseGoDuration(exec.timeout ?? "0s") || defaultTimeoutMs;
    const fields = {
      hookName: name,
      hookContainer: container,
      hookCommand: exec.command,
      hookTimeout: `${timeoutMs}ms`,
    };
    scope.log.info("running exec hook", fields);
    const { namespace = "", name: podName } = pod.metadata;
    const request = { namespace, pod: podName, container, command: exec.command, timeoutMs };
    const result = await this.#withTimeout(request, scope);
    scope.log.info("exec hook ended", { ...fields, stdout: result.stdout, stderr: result.stderr });
    if (result.exitCode !== 0) {
      throw new AppError("Internal", `command terminated with exit code ${result.exitCode}`);
    }
  }

  async #withTimeout(request: Parameters<Cluster["exec"]>[0], scope: Scope) {
    const { cluster, clock } = this.#options;
    const { timeoutMs } = request;
    try {
      return await withDeadline({ ms: timeoutMs, clock, what: "hook" }, scope, (inner) => cluster.exec(request, inner));
    } catch (error) {
      if (error instanceof AppError && error.code === "DeadlineExceeded") {
        throw new AppError("DeadlineExceeded", `timed out after ${formatGoDuration(timeoutMs)}`);
      }
      throw error;
    }
  }
}

/** The container to run in: the first one unless named; a named one must be a main container or a restarting init container. */
function containerOf(pod: KubernetesObject, wanted: string): string {
  const spec = (pod["spec"] ?? {}) as {
    containers?: { name: string }[];
    initContainers?: { name: string; restartPolicy?: string }[];
  };
  const first = spec.containers?.[0]?.name;
  if (wanted === "" && first !== undefined) return first;
  if (wanted === "") throw new AppError("InvalidArgument", "need at least 1 container");
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  if ([...(spec.containers ?? []), ...sidecars].some(({ name }) => name === wanted)) return wanted;
  throw new AppError("InvalidArgument", `no such container: ${JSON.stringify(wanted)}`);
}
