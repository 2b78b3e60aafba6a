import { AppError, type Scope } from "@jibe/base";
import { collectItems } from "../collect/collect-items.ts";
import { type ListedNamespace, missingNamespaces } from "../collect/collect-namespaces.ts";
import type { CollectedItem } from "../collect/collected-item.ts";
import { NamespaceTracker } from "../collect/namespace-tracker.ts";
import { backupTypes, type CollectedType, typesToCollect } from "../collect/types-to-collect.ts";
import { bodyFromBytes } from "../item/item-body.ts";
import type { ListedItem } from "../ports/cluster.ts";
import { runInSlots } from "../slots/run-in-slots.ts";
import type { Slot } from "../slots/slots.ts";
import type { BackupOptions } from "./backup-request.ts";
import type { BackupRun } from "./backup-run.ts";
import { BlockBuilder, type ItemBlock } from "./build-blocks.ts";
import { exclusionReason } from "./item-inclusion.ts";
import type { OpenedRun } from "./open-run.ts";
import { processBlock } from "./process-block.ts";

const namespacesName = "namespaces";

/** Lists everything the backup selects. What nobody else needs to see is in the archive when this returns; the rest is spooled. */
export async function collectForRun(
  { run, namespaces }: OpenedRun,
  options: BackupOptions,
  scope: Scope,
): Promise<void> {
  const { rules, namespaces: filter } = run.inclusion;
  const allVersions = run.features.has("EnableAPIGroupVersions");
  const types = typesToCollect(backupTypes(run.discovery, { allVersions }), rules);
  const tracker = new NamespaceTracker(namespaces, run.backup.spec, filter);
  const collected = await collectItems(
    {
      cluster: run.cluster,
      spec: run.backup.spec,
      types: types.filter(({ groupResource }) => groupResource !== namespacesName),
      namespaces: filter,
      namespaceCount: namespaces.length,
      filters: run.inclusion.filters,
      tracker,
      actions: run.actions,
      blockActions: run.blockActions,
      spool: run.spool,
      pageSize: options.pageSize ?? 500,
      typesAtOnce: options.typesAtOnce ?? 8,
      accept: (item, of) => accept(item, of, run),
      take: (item, of, inner) => storeListed(item, of, run, inner),
    },
    scope,
  );
  const ownType = types.find(({ groupResource }) => groupResource === namespacesName);
  const own = ownType ? namespaceItems({ of: ownType, namespaces, tracker, run }, scope) : [];
  run.collection.fill([...collected, ...own]);
}

function accept(item: ListedItem, of: CollectedType, run: BackupRun): boolean {
  run.account.collected();
  const { namespace, name, labels, deletionTimestamp } = item;
  const facts = { of, namespace, name, labels, deletionTimestamp };
  const reason = exclusionReason(facts, run.inclusion, { mustInclude: false });
  if (reason === undefined) return true;
  const { groupResource, resourceKey } = of;
  run.account.left({ groupResource, resourceKey, namespace, name }, reason);
  if (groupResource === "persistentvolumes") run.volumes?.skipped.record(name, "any", reason);
  if (groupResource === "persistentvolumeclaims") {
    const { volumeName = "" } = (bodyFromBytes(item.bytes).object["spec"] ?? {}) as { volumeName?: string };
    run.volumes?.skipped.record(volumeName, "any", reason);
  }
  return false;
}

/** The way of an item that concerns no action: its bytes go into the archive as they came. */
async function storeListed(item: ListedItem, of: CollectedType, run: BackupRun, scope: Scope): Promise<void> {
  const { groupResource, resourceKey, preferred, type } = of;
  const { namespace, name, parts = [item.bytes] } = item;
  const accounted = { groupResource, resourceKey, namespace, name };
  if (!run.account.enter(accounted, { collected: true })) return;
  try {
    await run.store({ groupResource, version: type.version, preferred, namespace, name, parts }, scope);
    run.account.stored(accounted);
    run.onType(groupResource);
  } catch (error) {
    scope.signal.throwIfAborted();
    const text = error instanceof AppError ? error.message : String(error);
    run.account.failed(accounted, [{ step: "archive", text }]);
    scope.log.error("Error backing up item", { name, error: text });
  }
  run.onTurn(groupResource);
  const room = run.account.room();
  if (room) await room;
}

/** Which namespaces belong to the backup is known only after everything else was listed. */
function namespaceItems(
  {
    of,
    namespaces,
    tracker,
    run,
  }: { of: CollectedType; namespaces: readonly ListedNamespace[]; tracker: NamespaceTracker; run: BackupRun },
  scope: Scope,
): CollectedItem[] {
  for (const name of missingNamespaces(run.inclusion.namespaces, namespaces)) {
    const text = `fail to get the namespace ${name} specified in backup.Spec.IncludedNamespaces`;
    scope.log.error(text, { resource: of.type.resource });
  }
  const items: CollectedItem[] = [];
  for (const { name, labels, deletionTimestamp, offset, length } of namespaces) {
    if (!tracker.has(name)) continue;
    run.account.collected();
    const facts = { of, namespace: "", name, labels, deletionTimestamp };
    const reason = exclusionReason(facts, run.inclusion, { mustInclude: false });
    const { groupResource, resourceKey } = of;
    if (reason !== undefined) {
      run.account.left({ groupResource, resourceKey, namespace: "", name }, reason);
      continue;
    }
    const selectable = { groupResource, namespace: "", labels };
    const actions = run.actions.for(selectable);
    const blockActions = run.blockActions.for(selectable);
    items.push({ of, namespace: "", name, actions, blockActions, offset, length, ordered: false, placed: false });
  }
  return items;
}

/** Gives every spooled item its turn, block by block. */
export async function backUpBlocks(run: BackupRun, options: BackupOptions, scope: Scope): Promise<void> {
  const blocks = new BlockBuilder(run).blocks(scope);
  const limit = options.itemBlockConcurrency ?? 16;
  const each = (block: ItemBlock, slot: Slot, inner: Scope) => processBlock(block, run, slot, inner);
  await runInSlots(blocks, { limit, each, holdsUp: ({ ordered }) => ordered }, scope);
}
