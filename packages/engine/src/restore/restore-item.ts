import { messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ItemBody } from "../item/item-body.ts";
import type { ItemOutcome, ItemRecord } from "../ledger/ledger.ts";
import { applyResourceModifiers } from "../modifiers/apply-modifiers.ts";
import type { Slot } from "../slots/slots.ts";
import { finishCreated } from "./after-create.ts";
import { createObject, targetType } from "./create-object.ts";
import { leaveEqual, reconcileExisting } from "./existing-object.ts";
import { runItemActions } from "./item-actions.ts";
import { resourceIdOf, textAt, withLabels, withoutServerFields } from "./object-edits.ts";
import {
  type ItemEnd,
  type ItemPlace,
  type ItemReport,
  type ItemRequest,
  type ItemWork,
  itemReport,
  type RestoreRun,
} from "./restore-run.ts";
import { type RestoredItem, waitingFor } from "./restored-items.ts";
import { prepareClaim, prepareVolume, withoutWaitContainers } from "./volume-rules.ts";

/** How an item ended, for its one line in the ledger. */
interface Ending {
  readonly outcome: ItemOutcome;
  readonly reason?: string;
  readonly plugin?: string;
}

const nothing: ItemEnd = { exists: false, hasFindings: false };
const failed: Ending = { outcome: "failed" };

/**
 * Restores an item that the plan or another item asks for. Whoever asks first does it; the others wait for the end, except where that
 * would close a circle. It takes a slot for the work and gives it back while it waits.
 */
export async function restoreItem(run: RestoreRun, place: ItemPlace, ask: ItemRequest, scope: Scope): Promise<ItemEnd> {
  const { groupResource, namespace, name, targetNamespace } = place;
  if (!ask.mustInclude && !run.filters.allows(groupResource, namespace)) {
    ask.slot?.release();
    scope.log.info("Not restoring item because the restore excludes it", { resource: groupResource, namespace, name });
    return nothing;
  }
  const known = run.items.find(groupResource, targetNamespace, name);
  if (known) {
    ask.slot?.release();
    if (known.origin !== namespace && !ask.asker) recordDisplaced(run, place);
    await run.items.waitFor(known, ask.asker);
    return { exists: known.exists, hasFindings: false };
  }
  const { item, end } = run.items.begin(place);
  const restoring = inSlot(run, { place, item, slot: ask.slot }, scope).finally(end);
  return waitingFor(ask.asker, item, restoring);
}

/** Two namespaces may be mapped to one: of two items of one name only the first finds room. */
function recordDisplaced({ ledger }: RestoreRun, { groupResource, namespace, targetNamespace, name }: ItemPlace): void {
  const reason = `an item of another namespace took its place; this one is from ${namespace}`;
  ledger.item({ resource: groupResource, namespace: targetNamespace, name, outcome: "skipped", reason });
}

interface Begun {
  readonly place: ItemPlace;
  readonly item: RestoredItem;
  readonly slot: Slot | undefined;
}

async function inSlot(run: RestoreRun, { place, item, slot: taken }: Begun, scope: Scope): Promise<ItemEnd> {
  const report = itemReport(run, place, scope);
  let ending: Ending = { outcome: "skipped", reason: "the restore was stopped" };
  try {
    const slot = taken ?? (await run.slots.take(scope));
    try {
      ending = await restoreFresh({ run, place, item, slot, report }, scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      const id = resourceIdOf(place.groupResource, place.targetNamespace, place.name);
      const text = messageOf(error);
      report.error(text.includes(id) ? text : `error restoring ${id}: ${text}`, { step: "restore" });
      ending = failed;
    } finally {
      slot.release();
    }
  } finally {
    conclude({ run, place, item, report }, ending);
  }
  return { exists: item.exists, hasFindings: report.hasFindings };
}

/** Writes the item's line, and its action for the resource list: what has none is skipped when nothing was found, else failed. */
function conclude({ run, place, item, report }: Omit<ItemWork, "slot">, ending: Ending): void {
  item.action ??= report.hasFindings ? "failed" : "skipped";
  const { groupResource: resource, targetNamespace: namespace, name } = place;
  const outcome = item.action === "created" ? "created" : ending.outcome; // also when it was stopped after that
  const record = { resource, namespace, name, outcome, ...detailsOf(ending, report) };
  run.ledger.item(record);
  run.itemLog.info("item restored", record);
}

function detailsOf({ outcome, reason, plugin }: Ending, { failure }: ItemReport): Partial<ItemRecord> {
  if (outcome === "failed" && failure) {
    const { cause, step, plugin: culprit } = failure;
    return { cause, step, ...(culprit === undefined ? {} : { plugin: culprit }) };
  }
  return { ...(reason === undefined ? {} : { reason }), ...(plugin === undefined ? {} : { plugin }) };
}

async function restoreFresh(work: ItemWork, scope: Scope): Promise<Ending> {
  const { run, place, item, slot, report } = work;
  const { namespace, targetNamespace } = place;
  if (targetNamespace !== "" && !run.namespaces.isReady(targetNamespace)) {
    try {
      await slot.without(() => run.namespaces.ensure(namespace, targetNamespace, scope), scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      report.error(messageOf(error), { step: "namespace", namespace: null });
      return failed;
    }
  }
  const body = await readItem(work, scope);
  if (!body) return failed;
  const { object } = body;
  if (isCompleted(place.groupResource, object)) return { outcome: "skipped", reason: "has completed" };
  run.items.count(item, `${object.apiVersion}/${object.kind}`);
  if (place.groupResource === "pods" && object.metadata.annotations?.["kubernetes.io/config.mirror"]) {
    return { outcome: "skipped", reason: "is a mirror pod" };
  }
  return restoreContent(work, body, scope);
}

async function readItem({ run, place, report }: ItemWork, scope: Scope): Promise<ItemBody | undefined> {
  const { groupResource, namespace, name, version } = place;
  try {
    const body = await run.archive.read(
      { groupResource, namespace, name, ...(version === undefined ? {} : { version }) },
      scope,
    );
    body.object; // a body that cannot be read fails here
    return body;
  } catch (error) {
    scope.signal.throwIfAborted();
    const file = namespace === "" ? `cluster/${name}.json` : `namespaces/${namespace}/${name}.json`;
    report.error(`error decoding "resources/${groupResource}/${file}": ${messageOf(error)}`, { step: "read" });
    return undefined;
  }
}

/** Work that is done is not done again. */
function isCompleted(groupResource: string, object: KubernetesObject): boolean {
  if (groupResource === "pods") return ["Failed", "Succeeded"].includes(textAt(object, "status", "phase"));
  return groupResource === "jobs.batch" && textAt(object, "status", "completionTime") !== "";
}

async function restoreContent(work: ItemWork, body: ItemBody, scope: Scope): Promise<Ending> {
  const { run, place } = work;
  let object = body.object;
  if (place.groupResource === "persistentvolumes") {
    const decision = await prepareVolume(work, object, scope);
    if (decision.kind === "provision") return { outcome: "skipped", reason: decision.reason };
    object = decision.object;
  }
  const acted = await runItemActions(work, { object: withoutServerFields(object), fromBackup: body }, scope);
  if (acted.kind === "failed") return failed;
  if (acted.kind === "skip") return { outcome: "skipped", reason: "a plugin left it out", plugin: acted.plugin };
  if (place.groupResource === "datauploads.velero.io") {
    return { outcome: "skipped", reason: "no plugin took it: data movement cannot be restored" };
  }
  object = adapt(work, acted.object);
  const desired = withLabels(inNamespace(object, place.targetNamespace), run.labels);
  return write(work, { desired, fromBackup: body.object }, scope);
}

/** The rules of the engine itself, after the actions'; then the user's. */
function adapt({ run, place, report }: ItemWork, acted: KubernetesObject): KubernetesObject {
  let object = acted;
  if (place.groupResource === "persistentvolumeclaims") object = prepareClaim({ run }, object);
  if (place.groupResource === "pods") object = withoutWaitContainers(object);
  if (!run.request.modifiers) return object;
  const modified = applyResourceModifiers(run.request.modifiers, object, place.groupResource);
  for (const error of modified.errors) report.error(error, { step: "resource modifier" });
  return modified.object;
}

function inNamespace(object: KubernetesObject, namespace: string): KubernetesObject {
  return namespace === "" ? object : { ...object, metadata: { ...object.metadata, namespace } };
}

async function write(
  work: ItemWork,
  { desired, fromBackup }: { readonly desired: KubernetesObject; readonly fromBackup: KubernetesObject },
  scope: Scope,
): Promise<Ending> {
  const { item } = work;
  const type = targetType(work, desired, fromBackup.kind);
  const result = await createObject(work, { type, desired }, scope);
  if (result.kind === "failed") return failed;
  item.exists = true;
  if (result.kind === "created") {
    item.action = "created";
    const name = desired.metadata.name || result.body.object.metadata.name; // with a generateName only the answer has it
    if (name !== item.name) item.createdName = name;
    await finishCreated(work, { type, desired, created: result.body, name, status: fromBackup["status"] }, scope);
    return { outcome: "created" };
  }
  const existing =
    result.kind === "equal"
      ? await leaveEqual(work, { type, desired }, scope)
      : await reconcileExisting(work, { type, desired, live: result.live }, scope);
  if (existing.outcome === "updated") item.action = "updated";
  return existing;
}
