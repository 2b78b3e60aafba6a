import { AppError, messageOf } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { KubeStatus } from "@jibe/kube";

/** What a call to the cluster was about. */
export interface AccessTarget {
  readonly verb: "get" | "list" | "create" | "patch" | "delete";
  readonly type: Pick<ResourceType, "group" | "resource">;
  /** Absent for what belongs to the whole cluster. */
  readonly namespace?: string;
}

/** Says what to do about an error of the cluster, where that can be known; gives the error itself where it cannot. */
export function explainAccessError(error: unknown, status: KubeStatus | undefined, target: AccessTarget): unknown {
  const advice = status ? adviceFor(status, target) : adviceWithoutAnswer(error);
  if (advice === undefined || !(error instanceof AppError)) return error;
  return new AppError(error.code, `${messageOf(error)}\n${advice}`, { fields: error.fields });
}

function adviceFor(status: KubeStatus, { verb, type, namespace }: AccessTarget): string | undefined {
  const { code, message, details } = status;
  const what = type.group ? `${type.resource}.${type.group}` : type.resource;
  if (code === 401)
    return "The cluster does not know you: check the user of your kubeconfig's context, or log in again.";
  if (code === 403) {
    const where = namespace === undefined ? "the whole cluster" : `namespace "${namespace}"`;
    return `Ask an administrator of the cluster for the right to ${verb} ${what} in ${where}.`;
  }
  if (code !== 404) return undefined;
  if (details["kind"] === "namespaces" || message.startsWith("namespaces "))
    return `Namespace "${namespace}" does not exist: name the server's with --namespace, or run "jibe install".`;
  const isObject = details["name"] !== undefined && details["name"] !== "";
  return isObject ? undefined : `The cluster has no ${what}: run "jibe install", or "jibe install --crds-only".`;
}

function adviceWithoutAnswer(error: unknown): string | undefined {
  if (!(error instanceof AppError) || error.code !== "Unavailable") return undefined;
  return "Is the cluster running, and is this the right one? --kubeconfig and --kubecontext choose another.";
}
