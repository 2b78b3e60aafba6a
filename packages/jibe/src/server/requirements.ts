import { type Clock, hasCode, messageOf, type Scope } from "@jibe/base";
import type { Cluster } from "@jibe/engine";
import type { KubeClient } from "@jibe/kube";
import { coreTypes, veleroTypes } from "../api/resource-types.ts";
import { findMissingRights } from "./missing-rights.ts";

const againMs = 5000;
const watchMs = 10_000;

export interface Requirements {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly clock: Clock;
  /** Called with what is missing now, and with nothing once it is there. */
  readonly onChange: (problem: string | undefined) => void;
}

/** Waits until the namespace, our resource definitions and our rights are there. What is missing is said once, with what to do. */
export async function untilRequirementsMet(requirements: Requirements, scope: Scope): Promise<void> {
  let said: string | undefined;
  while (true) {
    const problem = await findProblem(requirements, scope);
    tell(problem, said, requirements, scope);
    if (problem === undefined) return;
    said = problem;
    await requirements.clock.sleep(againMs, scope);
  }
}

/** Looks now and then, until the scope is stopped, whether something has gone that was there; that is said once, too. */
export async function watchRequirements(requirements: Requirements, scope: Scope): Promise<void> {
  let said: string | undefined;
  while (!scope.signal.aborted) {
    try {
      await requirements.clock.sleep(said === undefined ? watchMs : againMs, scope);
      const problem = await findProblem(requirements, scope);
      tell(problem, said, requirements, scope);
      said = problem;
    } catch {
      // Only a stopped scope makes it fail: whatever else goes wrong is a problem that was found.
    }
  }
}

function tell(problem: string | undefined, said: string | undefined, { onChange }: Requirements, scope: Scope): void {
  if (problem === said) return;
  onChange(problem);
  if (problem !== undefined) scope.log.error("the server cannot work yet", { reason: problem });
  else scope.log.info("what the server needs is there again");
}

async function findProblem(requirements: Requirements, scope: Scope): Promise<string | undefined> {
  try {
    return (await findMissingNamespace(requirements, scope)) ?? (await findMissingPart(requirements, scope));
  } catch (error) {
    scope.signal.throwIfAborted();
    return messageOf(error);
  }
}

async function findMissingNamespace({ cluster, namespace }: Requirements, scope: Scope): Promise<string | undefined> {
  try {
    await cluster.get(coreTypes.namespace, { name: namespace }, scope);
  } catch (error) {
    if (hasCode(error, "NotFound"))
      return `namespace ${JSON.stringify(namespace)} does not exist: create it, or name another with --namespace`;
    if (!hasCode(error, "PermissionDenied")) throw error;
  }
  return undefined;
}

async function findMissingPart(
  { client, cluster, namespace }: Requirements,
  scope: Scope,
): Promise<string | undefined> {
  const grant = `in namespace ${JSON.stringify(namespace)}: grant it, or run "jibe install"`;
  for (const type of Object.values(veleroTypes)) {
    const what = `${type.resource}.${type.group}`;
    try {
      for await (const _page of cluster.listPages(type, { namespace, limit: 1 }, scope)) break;
    } catch (error) {
      if (hasCode(error, "NotFound")) return `the resource ${what} is not defined: run "jibe install --crds-only"`;
      if (hasCode(error, "PermissionDenied")) return `the server may not list ${what} ${grant}`;
      throw error;
    }
  }
  const missing = await findMissingRights(client, namespace, scope);
  return missing.length > 0 ? `the server may not ${missing.join("; ")} ${grant}` : undefined;
}
