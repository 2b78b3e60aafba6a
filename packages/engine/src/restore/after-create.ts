import { hasCode, messageOf, retry, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { bodyFromObject, type ItemBody } from "../item/item-body.ts";
import type { ObjectName, ResourceType } from "../ports/cluster.ts";
import { reportLostData } from "./lost-volume-data.ts";
import { needsManagedFieldsPatch } from "./managed-fields.ts";
import { valueAt } from "./object-edits.ts";
import { pollUntil } from "./poll-until.ts";
import type { ItemPlace, ItemWork } from "./restore-run.ts";
import { retryWrite } from "./retry-write.ts";
import { serverText } from "./server-text.ts";

export interface CreatedObject {
  readonly type: ResourceType;
  readonly desired: KubernetesObject;
  /** As the API server answered. It is parsed only where somebody needs it. */
  readonly created: ItemBody;
  readonly name: string;
  /** The status in the backup. */
  readonly status: unknown;
}

/** What follows a create: status, field ownership, hooks of a pod, the wait for a CRD. */
export async function finishCreated(work: ItemWork, object: CreatedObject, scope: Scope): Promise<void> {
  if (object.status !== undefined && wantsStatus(work, object.desired)) await restoreStatus(work, object, scope);
  if (needsManagedFieldsPatch(object.desired.metadata.managedFields)) await restoreOwnership(work, object, scope);
  reportLostData(work, object.desired);
  if (isType(object.type, "", "pods")) work.run.hooks.start(object.created.object);
  if (isType(object.type, "apiextensions.k8s.io", "customresourcedefinitions")) {
    await work.slot.without(() => untilEstablished(work, object, scope), scope);
  }
}

function isType({ group, resource }: ResourceType, wantedGroup: string, wantedResource: string): boolean {
  return group === wantedGroup && resource === wantedResource;
}

/** The annotation on an object wins over the spec. */
function wantsStatus({ run, place }: ItemWork, desired: KubernetesObject): boolean {
  const annotation = desired.metadata.annotations?.["velero.io/restore-status"]?.trim().toLowerCase();
  if (annotation === "true") return true;
  return annotation !== "false" && run.filters.restoresStatus(place.groupResource);
}

async function restoreStatus({ run, place, report }: ItemWork, object: CreatedObject, scope: Scope): Promise<void> {
  const { type, desired, created, status } = object;
  const { cluster, clock } = run.ports;
  const name = nameOf(object, place);
  let { resourceVersion } = created.object.metadata;
  const write = async () => {
    const metadata = { ...desired.metadata, ...name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const { managedFields: _, ...kept } = metadata;
    try {
      await cluster.updateStatus(
        type,
        { ...name, body: bodyFromObject({ ...desired, metadata: kept, status }) },
        scope,
      );
    } catch (error) {
      scope.signal.throwIfAborted();
      if (hasCode(error, "Conflict")) {
        resourceVersion = (await cluster.get(type, name, scope)).object.metadata.resourceVersion;
      }
      throw error;
    }
  };
  try {
    const when = (error: unknown) => hasCode(error, "Conflict") || hasCode(error, "Unavailable");
    await retry(write, { attempts: 6, firstDelayMs: 50, maxDelayMs: 2000, clock, when }, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    report.warning(serverText(error) ?? messageOf(error), { step: "status" });
  }
}

async function restoreOwnership({ run, place, report }: ItemWork, object: CreatedObject, scope: Scope): Promise<void> {
  const { type, desired } = object;
  const patch = { metadata: { managedFields: desired.metadata.managedFields } };
  try {
    const request = { ...nameOf(object, place), patch, patchType: "merge" as const };
    await retryWrite(() => run.ports.cluster.patch(type, request, scope), run.ports.clock, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    const text = serverText(error) ?? messageOf(error);
    if (hasCode(error, "NotFound")) report.warning(text, { step: "managed fields" });
    else report.error(text, { step: "managed fields" });
  }
}

async function untilEstablished({ run, report }: ItemWork, { type, name }: CreatedObject, scope: Scope): Promise<void> {
  const { cluster, clock } = run.ports;
  const timeoutMs = run.settings.resourceTimeoutMs;
  const isReady = async () => {
    const { object } = await cluster.get(type, { name }, scope);
    const conditions = valueAt(object, "status", "conditions");
    const isTrue = (wanted: string) =>
      Array.isArray(conditions) &&
      conditions.some((each) => valueAt(each, "type") === wanted && valueAt(each, "status") === "True");
    return isTrue("Established") && isTrue("NamesAccepted");
  };
  try {
    if (await pollUntil(isReady, { clock, timeoutMs, firstDelayMs: 50, maxDelayMs: 1000 }, scope)) return;
    report.error(`the CRD ${name} is not available to use for custom resources`, { step: "wait for CRD" });
  } catch (error) {
    scope.signal.throwIfAborted();
    report.error(`error verifying the CRD ${name} is ready to use: ${messageOf(error)}`, { step: "wait for CRD" });
  }
}

function nameOf({ name }: CreatedObject, { targetNamespace: namespace }: ItemPlace): ObjectName {
  return namespace === "" ? { name } : { name, namespace };
}
