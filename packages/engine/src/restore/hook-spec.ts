import { AppError, type LabelSelector, matchesLabels, parseGoDuration } from "@jibe/base";
import type { ExecRestoreHook, HookErrorMode, KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { hookCommandFrom } from "../hooks/hook-command.ts";
import { includesExcludes } from "../select/includes-excludes.ts";
import { textAt, valueAt } from "./object-edits.ts";

/** A command to run in a restored pod's container. */
export interface PodHook {
  readonly name: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly onError: HookErrorMode | "";
  readonly execTimeoutMs: number;
  /** 0 means none of its own. */
  readonly waitTimeoutMs: number;
  readonly waitForReady: boolean;
}

const prefix = "post.hook.restore.velero.io";
const defaultExecTimeoutMs = 30_000;

/** The hooks of a pod: those of its annotations, or else those of the spec that apply to it, in order. */
export function hooksOfPod(spec: RestoreSpec, pod: KubernetesObject): readonly PodHook[] {
  const containers = valueAt(pod, "spec", "containers");
  const firstContainer = Array.isArray(containers) ? textAt(containers[0], "name") : "";
  if (firstContainer === "") return [];
  const annotated = hookFromAnnotations(pod, firstContainer);
  if (annotated) return [annotated];
  return (spec.hooks?.resources ?? [])
    .filter((resource) => {
      const namespaces = includesExcludes({
        includes: resource.includedNamespaces,
        excludes: resource.excludedNamespaces,
      });
      return namespaces.shouldInclude(pod.metadata.namespace ?? "") && matches(resource.labelSelector, pod);
    })
    .flatMap(({ name, postHooks = [] }) =>
      postHooks.flatMap(({ exec }) => (exec ? [hookFromSpec(name, exec, firstContainer)] : [])),
    );
}

function matches(selector: LabelSelector | undefined, pod: KubernetesObject): boolean {
  return !selector || matchesLabels(selector, pod.metadata.labels);
}

function hookFromSpec(name: string, exec: ExecRestoreHook, firstContainer: string): PodHook {
  return {
    name,
    container: exec.container || firstContainer,
    command: exec.command,
    onError: exec.onError ?? "",
    execTimeoutMs: durationOf(exec.execTimeout) || defaultExecTimeoutMs,
    waitTimeoutMs: durationOf(exec.waitTimeout),
    waitForReady: exec.waitForReady === true,
  };
}

function hookFromAnnotations(pod: KubernetesObject, firstContainer: string): PodHook | undefined {
  const annotation = (key: string) => pod.metadata.annotations?.[`${prefix}/${key}`] ?? "";
  const command = annotation("command");
  if (command === "") return undefined;
  const onError = annotation("on-error");
  return {
    name: "<from-annotation>",
    container: annotation("container") || firstContainer,
    command: hookCommandFrom(command),
    onError: onError === "Continue" || onError === "Fail" ? onError : "",
    execTimeoutMs: durationOf(annotation("exec-timeout")) || defaultExecTimeoutMs,
    waitTimeoutMs: durationOf(annotation("wait-timeout")),
    waitForReady: /^(1|t|true)$/i.test(annotation("wait-for-ready")),
  };
}

/** A duration that cannot be read counts as none, as Velero does it. */
function durationOf(text: string | undefined): number {
  try {
    return text ? Math.max(0, parseGoDuration(text)) : 0;
  } catch (error) {
    if (error instanceof AppError) return 0;
    throw error;
  }
}
