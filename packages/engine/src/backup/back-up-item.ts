import { hasCode, messageOf, type Scope, withFields } from "@jibe/base";
import type { ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { preferredType } from "../collect/types-to-collect.ts";
import type { ItemBody } from "../item/item-body.ts";
import type { Slot } from "../slots/slots.ts";
import { backUpVolume } from "../volumes/back-up-volume.ts";
import { itemKeyText } from "./backed-up-items.ts";
import type { BackupRun } from "./backup-run.ts";
import { executeActions } from "./execute-actions.ts";
import type { ItemFailure } from "./item-account.ts";
import { exclusionReason } from "./item-inclusion.ts";
import { fetchItem, type RunItem, runItemFromCollected } from "./run-item.ts";

/** How an item's turn ended. `present`: it was in the backup already; `left`: it does not belong in it. */
export type TurnResult =
  | { readonly kind: "stored" | "present" | "left" }
  | { readonly kind: "failed"; readonly failures: readonly ItemFailure[] };

export interface TurnOptions {
  readonly mustInclude?: boolean;
  readonly slot: Slot;
  /** The item whose action asked for this one. */
  readonly asker?: RunItem;
}

// A block waits for its items, too, so that post hooks come after them; nobody waits for a block.
const noAsker = "";

/**
 * Gives an item its turn: checks, actions with the items they ask for, volume data, archive. A failure of the item is a result; only
 * what ends the run is thrown. An item asked for while its turn goes on elsewhere is waited for, unless it waits for the asker.
 */
export async function backUpItem(
  item: RunItem,
  run: BackupRun,
  options: TurnOptions,
  scope: Scope,
): Promise<TurnResult> {
  const { asker, slot, mustInclude = run.finalizing } = options;
  const key = itemKeyText(item);
  if (run.items.has(item)) {
    await run.runs.ended({ asker: asker ? itemKeyText(asker) : noAsker, wanted: key, slot }, scope);
    return { kind: "present" };
  }
  const reason = await reasonToLeave(item, run, mustInclude, scope);
  if (reason !== undefined) {
    run.account.left(item, reason);
    return { kind: "left" };
  }
  if (!run.account.enter(item, item)) return { kind: "present" };
  using _turn = run.runs.begin(key);
  const { groupResource: resource, namespace, name } = item;
  const work = () => takeTurn(item, run, slot, withFields(scope, { resource, namespace, name }));
  const result = await (asker ? run.runs.inside(itemKeyText(asker), key, work) : work());
  if (result.kind === "stored") run.account.stored(item);
  if (result.kind === "failed") run.account.failed(item, result.failures);
  run.onTurn(item.groupResource);
  await run.account.room();
  return result;
}

/** Collected items were checked when they were listed. */
async function reasonToLeave(
  item: RunItem,
  run: BackupRun,
  mustInclude: boolean,
  scope: Scope,
): Promise<string | undefined> {
  if (item.collected) return undefined;
  const { labels = {}, deletionTimestamp } = (await item.body(scope)).object.metadata;
  const { of, namespace, name } = item;
  return exclusionReason({ of, namespace, name, labels, deletionTimestamp }, run.inclusion, { mustInclude });
}

async function takeTurn(item: RunItem, run: BackupRun, slot: Slot, scope: Scope): Promise<TurnResult> {
  const failures: ItemFailure[] = [];
  const note = (step: string) => (error: unknown) => {
    scope.signal.throwIfAborted();
    failures.push({ step, text: messageOf(error) });
  };
  try {
    noteGivenUpClaim(item, await item.body(scope), run);
    const chosen = await chooseVolumes(item, run, scope);
    for (const error of chosen?.errors ?? []) failures.push({ step: "volumes", text: messageOf(error) });

    const additional = (id: ResourceIdentifier, { mustInclude }: { readonly mustInclude: boolean }, inner: Scope) =>
      backUpAdditional(id, { asker: item, slot, mustInclude }, run, inner);
    const outcome = await executeActions(item, run, additional, scope);
    if (outcome.kind === "failed") return { kind: "failed", failures: [...failures, outcome.failure] };
    if (outcome.kind === "skip") {
      run.account.skippedByAction(item, outcome.plugin, item);
      return { kind: "left" };
    }
    await backUpVolumeData(item, outcome.body, run, scope).catch(note("snapshot"));
    if (chosen) await run.volumes?.pods.report((await item.body(scope)).object, chosen.volumes, scope);
    if (failures.length === 0) await store(item, outcome.body, run, scope);
  } catch (error) {
    note("item")(error);
  }
  return failures.length === 0 ? { kind: "stored" } : { kind: "failed", failures };
}

/** A claim whose volume a pod has taken out of the file-system backup is listed as skipped with that reason. */
function noteGivenUpClaim(item: RunItem, body: ItemBody, run: BackupRun): void {
  if (!run.volumes || item.groupResource !== "persistentvolumeclaims") return;
  const pod = run.volumes.pods.givenUpBy(body.object);
  const volumeName = (body.object["spec"] as { volumeName?: string } | undefined)?.volumeName ?? "";
  if (pod !== undefined)
    run.volumes.skipped.record(volumeName, "podvolume", `opted out due to annotation in pod ${pod}`);
}

async function chooseVolumes(item: RunItem, run: BackupRun, scope: Scope) {
  if (!run.volumes || item.groupResource !== "pods") return undefined;
  return run.volumes.pods.choose((await item.body(scope)).object, scope);
}

async function backUpVolumeData(item: RunItem, body: ItemBody, run: BackupRun, scope: Scope): Promise<void> {
  if (!run.volumes || item.groupResource !== "persistentvolumes") return;
  run.volumes.items.add(body.object);
  const inner = withFields(scope, { persistentVolume: body.object.metadata.name });
  await backUpVolume(body.object, run.volumes.native, inner);
}

async function store(item: RunItem, body: ItemBody, run: BackupRun, scope: Scope): Promise<void> {
  const { groupResource, of } = item;
  const unchanged = body === (await item.body(scope));
  const { name, namespace = "" } = unchanged ? item : body.object.metadata;
  const { version } = of.type;
  await run.store({ groupResource, version, preferred: of.preferred, namespace, name, parts: [body.bytes] }, scope);
}

/** Backs up an item that an action asked for. One that is not there is a warning; gives the text of a failure. */
async function backUpAdditional(
  id: ResourceIdentifier,
  options: TurnOptions & { readonly asker: RunItem },
  run: BackupRun,
  scope: Scope,
): Promise<string | undefined> {
  const { groupResource, namespace = "", name } = id;
  try {
    for (const item of await additionalItems(id, options, run, scope)) {
      const result = await backUpItem(item, run, options, scope);
      if (result.kind === "failed") return joined(result.failures);
    }
    return undefined;
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!hasCode(error, "NotFound")) return messageOf(error);
    const text = "Additional item was not found in Kubernetes API, can't back it up";
    scope.log.warn(text, { groupResource, namespace, name });
    return undefined;
  }
}

/** From what was collected, in all its versions; else from the cluster, unless it came straight from a list into the archive. */
async function additionalItems(
  id: ResourceIdentifier,
  { asker, slot }: TurnOptions & { readonly asker: RunItem },
  run: BackupRun,
  scope: Scope,
): Promise<readonly RunItem[]> {
  const { groupResource, namespace = "", name } = id;
  const collected = run.collection.find(groupResource, namespace, name);
  if (collected.length > 0) return collected.map((item) => runItemFromCollected(item, run));
  const of = preferredType(run.discovery, groupResource);
  const key = { resourceKey: of?.resourceKey ?? "", namespace, name };
  if (!run.items.has(key)) return [await fetchItem(id, run, scope)];
  await run.runs.ended({ asker: itemKeyText(asker), wanted: itemKeyText(key), slot }, scope);
  return [];
}

function joined(failures: readonly ItemFailure[]): string {
  const texts = failures.map(({ text }) => text);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
