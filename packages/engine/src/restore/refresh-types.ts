import { messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { groupResourceOf } from "../ports/cluster.ts";
import { textAt, valueAt } from "./object-edits.ts";
import { pollUntil } from "./poll-until.ts";
import type { RestoreRun } from "./restore-run.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const maxLagMs = 30_000;

/** Adds the names that the backup's own CRDs define. A CRD that cannot be read is passed over: it fails when it is restored. */
export async function addArchivedDefinitions(run: Pick<RestoreRun, "archive" | "types">, scope: Scope): Promise<void> {
  for (const name of run.archive.names(definitions, "")) {
    try {
      run.types.addDefinition(
        (await run.archive.read({ groupResource: definitions, namespace: "", name }, scope)).object,
      );
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.warn("cannot read a CRD of the backup", { name, error: messageOf(error) });
    }
  }
}

/**
 * Reads discovery again once CRDs were restored. Discovery lags behind a CRD that is established, so it is read until the new types are
 * in it, for a while.
 */
export async function refreshTypes(run: RestoreRun, restored: readonly string[], scope: Scope): Promise<void> {
  const { cluster, clock } = run.ports;
  const expected: string[] = [];
  for (const name of restored) {
    const { object } = await run.archive.read({ groupResource: definitions, namespace: "", name }, scope);
    expected.push(...servedTypes(object));
  }
  const hasAll = async () => {
    run.types.replace(await cluster.discover(scope));
    const served = new Set(run.types.discovery.resources.map((type) => `${type.version}/${groupResourceOf(type)}`));
    return expected.every((type) => served.has(type));
  };
  try {
    const timeoutMs = Math.min(run.settings.resourceTimeoutMs, maxLagMs);
    if (await pollUntil(hasAll, { clock, timeoutMs, firstDelayMs: 100, maxDelayMs: 2000 }, scope)) return;
    scope.log.warn("some restored CRDs are not served yet", { expected });
  } catch (error) {
    scope.signal.throwIfAborted();
    run.ledger.warning({ namespace: "", message: `refresh discovery after restoring CRDs: ${messageOf(error)}` });
  }
}

function servedTypes({ spec }: KubernetesObject): string[] {
  const versions = valueAt(spec, "versions");
  const names = Array.isArray(versions)
    ? versions.filter((version) => valueAt(version, "served") === true).map((version) => textAt(version, "name"))
    : [textAt(spec, "version")];
  const groupResource = groupResourceOf({ group: textAt(spec, "group"), resource: textAt(spec, "names", "plural") });
  return names.map((version) => `${version}/${groupResource}`);
}

/** The CRDs that this run has created or changed. */
export function writtenDefinitions(run: RestoreRun): string[] {
  return run.archive.names(definitions, "").filter((name) => {
    const action = run.items.find(definitions, "", name)?.action;
    return action === "created" || action === "updated";
  });
}
