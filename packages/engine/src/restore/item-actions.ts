import { AppError, messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { bodyFromObject, type ItemBody } from "../item/item-body.ts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { RestoreAction, RestoreActionResult } from "../ports/plugins.ts";
import { resourceIdOf, withoutAnnotations } from "./object-edits.ts";
import type { ItemWork } from "./restore-run.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** An action may say on its item that what it brings along is restored whatever the filters say. */
const mustIncludeAnnotation = "restore.velero.io/must-include-additional-items";

export type ActionsOutcome =
  | { readonly kind: "go on"; readonly object: KubernetesObject }
  | { readonly kind: "skip"; readonly plugin: string }
  | { readonly kind: "failed" };

/**
 * Runs the actions that want the item, one after the other, each on what the one before made of it. What an action brings along is
 * restored, and waited for, before the next action runs.
 */
export async function runItemActions(
  work: ItemWork,
  item: { readonly object: KubernetesObject; readonly fromBackup: ItemBody },
  scope: Scope,
): Promise<ActionsOutcome> {
  const { run, place } = work;
  let { object } = item;
  for (const { action, selector } of run.actions.forPlace(place.groupResource, place.targetNamespace)) {
    if (!selector.matchesLabels(object.metadata.labels)) continue;
    const input = { body: bodyFromObject(object), bodyFromBackup: item.fromBackup, restore: run.restore };
    let result: RestoreActionResult;
    try {
      result = await action.execute(input, scope);
      if (result.operationId !== "") recordOperation(work, action.name, result.operationId);
      if (result.skipRestore) return { kind: "skip", plugin: action.name };
      object = requireNamed(result.body.object);
    } catch (error) {
      scope.signal.throwIfAborted();
      const id = resourceIdOf(place.groupResource, place.targetNamespace, place.name);
      work.report.error(`error preparing ${id}: ${messageOf(error)}`, { step: "action", plugin: action.name });
      return { kind: "failed" };
    }
    const mustInclude = object.metadata.annotations?.[mustIncludeAnnotation] === "true";
    object = withoutAnnotations(object, mustIncludeAnnotation);
    await bringAlong(work, { action, result, mustInclude }, scope);
  }
  return { kind: "go on", object };
}

function requireNamed(object: KubernetesObject): KubernetesObject {
  if (object.metadata.name || object.metadata.generateName) return object;
  throw new AppError("InvalidArgument", "the plugin returned an item without a name");
}

async function bringAlong(
  work: ItemWork,
  output: { readonly action: RestoreAction; readonly result: RestoreActionResult; readonly mustInclude: boolean },
  scope: Scope,
): Promise<void> {
  const { action, result, mustInclude } = output;
  const present: ResourceIdentifier[] = [];
  for (const wanted of result.additionalItems) {
    if (await restoreAdditional(work, wanted, { plugin: action.name, mustInclude }, scope)) present.push(wanted);
  }
  if (result.waitForAdditionalItems) {
    const { additionalItemsReadyTimeoutMs: ownTimeoutMs } = result;
    await work.slot.without(() => waitUntilReady(work, { action, items: present, ownTimeoutMs }, scope), scope);
  }
}

/** Restores one item that an action asked for. True when it is in the target now. */
async function restoreAdditional(
  { run, item, slot, report }: ItemWork,
  { groupResource, namespace = "", name }: ResourceIdentifier,
  { plugin, mustInclude }: { readonly plugin: string; readonly mustInclude: boolean },
  scope: Scope,
): Promise<boolean> {
  if (!run.archive.has({ groupResource, namespace, name })) {
    const id = resourceIdOf(groupResource, namespace, name);
    report.warning(`additional item ${id} is not in the backup`, { step: "additional item", plugin, namespace });
    return false;
  }
  const targetNamespace = run.filters.targetNamespace(namespace);
  const place = { groupResource, namespace, name, targetNamespace };
  const child = await slot.without(() => run.restoreItem(place, { asker: item, mustInclude }, scope), scope);
  if (child.hasFindings) report.inherit();
  return child.exists;
}

function recordOperation({ run, place }: ItemWork, plugin: string, operationID: string): void {
  const { groupResource, targetNamespace, name } = place;
  const dot = groupResource.indexOf(".");
  run.operations.push({
    spec: {
      restoreName: run.restore.metadata.name,
      restoreUID: run.restore.metadata.uid ?? "",
      restoreItemAction: plugin,
      resourceIdentifier: {
        Group: dot < 0 ? "" : groupResource.slice(dot + 1),
        Resource: dot < 0 ? groupResource : groupResource.slice(0, dot),
        Namespace: targetNamespace,
        Name: name,
      },
      operationID,
    },
    status: { phase: "New", created: kubernetesTime(run.ports.clock.now()) },
  });
  run.ports.onOperation(run.operations);
}
