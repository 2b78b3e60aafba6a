import { type Clock, hasCode, messageOf, type Scope } from "@jibe/base";
import type { Cluster } from "@jibe/engine";
import { coreTypes, veleroTypes } from "../api/resource-types.ts";

const againMs = 5000;

/** Waits until the namespace and our resource definitions are there and may be read. What is missing is said once, with what to do. */
export async function untilRequirementsMet(
  {
    cluster,
    namespace,
    clock,
    onMissing,
  }: {
    readonly cluster: Cluster;
    readonly namespace: string;
    readonly clock: Clock;
    readonly onMissing: (problem: string) => void;
  },
  scope: Scope,
): Promise<void> {
  let said = "";
  while (true) {
    const problem = await findProblem(cluster, namespace, scope);
    if (problem === undefined) return;
    onMissing(problem);
    if (problem !== said) scope.log.error("the server cannot work yet", { reason: problem });
    said = problem;
    await clock.sleep(againMs, scope);
  }
}

async function findProblem(cluster: Cluster, namespace: string, scope: Scope): Promise<string | undefined> {
  try {
    await cluster.get(coreTypes.namespace, { name: namespace }, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    if (hasCode(error, "NotFound"))
      return `namespace ${JSON.stringify(namespace)} does not exist: create it, or name another with --namespace`;
    if (!hasCode(error, "PermissionDenied")) return messageOf(error);
  }
  for (const type of Object.values(veleroTypes)) {
    try {
      for await (const _page of cluster.listPages(type, { namespace, limit: 1 }, scope)) break;
    } catch (error) {
      scope.signal.throwIfAborted();
      const what = `${type.resource}.${type.group}`;
      if (hasCode(error, "NotFound")) return `the resource ${what} is not defined: run "jibe install --crds-only"`;
      if (hasCode(error, "PermissionDenied"))
        return `the server may not list ${what} in namespace ${JSON.stringify(namespace)}: grant it, or run "jibe install"`;
      return messageOf(error);
    }
  }
  return undefined;
}
