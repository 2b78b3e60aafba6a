import { forEachConcurrent, messageOf, type Scope } from "@jibe/base";
import type { Backup, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { resolveActions } from "../actions/resolve-actions.ts";
import { archivePathsOf } from "../archive/index.ts";
import { Collection } from "../collect/collected-item.ts";
import { resourceRules } from "../collect/resource-rules.ts";
import { Spool } from "../collect/spool.ts";
import { ExecHooks } from "../hooks/exec-hooks.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { BackupOperation, StoredResourceIdentifier } from "../operations/item-operation.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import { includesExcludes } from "../select/includes-excludes.ts";
import { unboundedSlot } from "../slots/slots.ts";
import { BackedUpItems } from "./backed-up-items.ts";
import type { BackupRun } from "./backup-run.ts";
import type { FinalizeBackupPorts } from "./finalize-backup.ts";
import { ItemAccount } from "./item-account.ts";
import { ItemRuns } from "./item-runs.ts";
import { backUpBlockItem } from "./process-block.ts";
import { fetchItem } from "./run-item.ts";
import { StartedWorkList } from "./started-work.ts";

const itemsAtOnce = 8;

/**
 * Reads the items that operations want updated and runs them through the actions, as for finalizing: all checks are off, no hooks, no
 * volumes, and starting an operation is an error. Gives their new content by path.
 */
export async function updatedItems(
  {
    backup,
    operations,
    ports,
    plugins,
  }: {
    readonly backup: Backup;
    readonly operations: readonly BackupOperation[];
    readonly ports: FinalizeBackupPorts;
    readonly plugins: RunPlugins;
  },
  scope: Scope,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const replacements = new Map<string, Uint8Array>();
  const wanted = identifiers(operations);
  if (wanted.length === 0) return replacements;
  await using ledger = await createLedger({ scratch: ports.scratch }, scope);
  await using spool = new Spool(await ports.scratch.create("spool", scope));
  const items = new BackedUpItems();
  const discovery = await ports.cluster.discover(scope);
  const namespaces = includesExcludes({});
  const run: BackupRun = {
    backup,
    cluster: ports.cluster,
    clock: ports.clock,
    discovery,
    inclusion: { namespaces, rules: resourceRules({ spec: {}, discovery, namespaces }) },
    actions: await resolveActions(await plugins.backupActions(scope), discovery, scope),
    blockActions: await resolveActions([], discovery, scope),
    features: new Set(),
    hooks: new ExecHooks({ cluster: ports.cluster, clock: ports.clock, hooks: [] }),
    spool,
    collection: new Collection(),
    items,
    runs: new ItemRuns(),
    account: new ItemAccount({ items, ledger, log: { fileOnly: scope.log, room: () => undefined } }),
    started: new StartedWorkList(() => {}),
    finalizing: true,
    store: async (entry) => {
      const bytes = Buffer.concat(entry.parts);
      for (const path of archivePathsOf(entry)) replacements.set(path, bytes);
    },
    onTurn: () => {},
    onType: () => {},
  };
  const each = (id: ResourceIdentifier, inner: Scope) => update(id, run, inner);
  await forEachConcurrent(wanted, { limit: itemsAtOnce, each }, scope);
  return replacements;
}

async function update(id: ResourceIdentifier, run: BackupRun, scope: Scope): Promise<void> {
  const item = await fetchItem(id, run, scope).catch((error: unknown) => {
    scope.signal.throwIfAborted();
    const { groupResource: resource, namespace = "", name } = id;
    scope.log.error("Error getting item", { resource, namespace, name, error: messageOf(error) });
  });
  if (item) await backUpBlockItem(item, run, unboundedSlot, scope);
}

/** Each item once, though several operations may name it. */
function identifiers(operations: readonly BackupOperation[]): ResourceIdentifier[] {
  const all = operations.flatMap(({ spec }) => spec.postOperationItems ?? []).map(identifierFrom);
  return [...new Map(all.map((id) => [`${id.groupResource} ${id.namespace}/${id.name}`, id])).values()];
}

function identifierFrom({ Group, Resource, Namespace, Name }: StoredResourceIdentifier): ResourceIdentifier {
  const groupResource = Group === "" ? Resource : `${Resource}.${Group}`;
  return Namespace === "" ? { groupResource, name: Name } : { groupResource, namespace: Namespace, name: Name };
}
