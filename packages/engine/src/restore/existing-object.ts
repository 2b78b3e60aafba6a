import { jsonEquals, messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { mergePatchBetween } from "../modifiers/merge-patch.ts";
import type { ResourceType } from "../ports/cluster.ts";
import { mergeServiceAccount } from "./merge-service-account.ts";
import { valueAt, withLabels, withoutManagedFields, withoutServerFields } from "./object-edits.ts";
import type { ItemWork, RestoreRun } from "./restore-run.ts";
import { retryWrite } from "./retry-write.ts";
import { serverText } from "./server-text.ts";

export type ExistingOutcome = {
  readonly outcome: "updated" | "unchanged" | "skipped" | "failed";
  readonly reason?: string;
};

const blankLabels = { "velero.io/backup-name": "", "velero.io/restore-name": "" };

/**
 * Deals with an object that is already in the target: equal ones are left alone, service accounts are merged, others follow the policy.
 * Field ownership is not compared: it tells who wrote an object, not what it is.
 */
export async function reconcileExisting(
  work: ItemWork,
  object: { readonly type: ResourceType; readonly desired: KubernetesObject; readonly live: KubernetesObject },
  scope: Scope,
): Promise<ExistingOutcome> {
  const { run } = work;
  const { desired } = object;
  if (isSame(run, object)) return leaveEqual(work, object, scope);
  const live = withLabels(withoutServerFields(object.live), run.labels);
  const policy = run.restore.spec.existingResourcePolicy ?? "";
  if (work.place.groupResource === "serviceaccounts") return mergeAccount(work, { ...object, live, policy }, scope);
  if (policy === "update") return update(work, { ...object, live }, scope);
  const separator =
    policy === "" ? `${desired.kind}:${desired.metadata.name}` : `${desired.kind} "${desired.metadata.name}"`;
  work.report.warning(
    `could not restore, ${separator} already exists. Warning: the in-cluster version is different than the backed-up version`,
    { step: "existing object" },
  );
  return { outcome: "skipped", reason: "already exists and is different" };
}

/** Whether an object in the target is what the restore would make it, apart from what servers make. */
export function isSame(
  { labels }: Pick<RestoreRun, "labels">,
  { desired, live }: { readonly desired: KubernetesObject; readonly live: KubernetesObject },
): boolean {
  const comparable = withLabels(withoutServerFields(live), labels);
  return jsonEquals(withoutManagedFields(comparable), withoutManagedFields(desired));
}

/** An object that is as it should be gets the restore's labels where the policy says so, and no more. */
export async function leaveEqual(
  work: ItemWork,
  { type, desired }: { readonly type: ResourceType; readonly desired: KubernetesObject },
  scope: Scope,
): Promise<ExistingOutcome> {
  const { existingResourcePolicy } = work.run.restore.spec;
  if (existingResourcePolicy === "update") await patchLabels(work, type, desired.metadata.name, scope);
  return { outcome: "unchanged", reason: "already exists and is the same" };
}

type Existing = { readonly type: ResourceType; readonly desired: KubernetesObject; readonly live: KubernetesObject };

async function update(work: ItemWork, { type, desired, live }: Existing, scope: Scope): Promise<ExistingOutcome> {
  const wanted = desired.metadata.managedFields ? desired : withManagedFieldsOf(desired, live);
  const patch = mergePatchBetween(withLabels(live, blankLabels), wanted);
  const failure = await tryPatch(work, { type, name: desired.metadata.name, patch }, scope);
  if (failure === undefined) return { outcome: "updated" };
  work.report.warning(failure, { step: "update" });
  await patchLabels(work, type, desired.metadata.name, scope);
  return { outcome: "failed" };
}

async function mergeAccount(
  work: ItemWork,
  { type, desired, live, policy }: Existing & { readonly policy: string },
  scope: Scope,
): Promise<ExistingOutcome> {
  const patch = mergePatchBetween(live, mergeServiceAccount(live, desired));
  if (!patch) return { outcome: "unchanged", reason: "already exists and lacks nothing" };
  const failure = await tryPatch(work, { type, name: desired.metadata.name, patch }, scope);
  if (failure === undefined) return { outcome: "updated" };
  work.report.warning(failure, { step: "update" });
  if (policy === "update") await patchLabels(work, type, desired.metadata.name, scope);
  return { outcome: "failed" };
}

/** Marks an object that is otherwise left as it is. */
async function patchLabels(work: ItemWork, type: ResourceType, name: string, scope: Scope): Promise<void> {
  const failure = await tryPatch(work, { type, name, patch: { metadata: { labels: work.run.labels } } }, scope);
  if (failure !== undefined) work.report.error(failure, { step: "label" });
}

/** Gives the text of the failure, if there was one. */
async function tryPatch(
  { run, place }: ItemWork,
  { type, name, patch }: { readonly type: ResourceType; readonly name: string; readonly patch: unknown },
  scope: Scope,
): Promise<string | undefined> {
  const request = { ...namespaceOf(place.targetNamespace), name, patch, patchType: "merge" as const };
  try {
    await retryWrite(() => run.ports.cluster.patch(type, request, scope), run.ports.clock, scope);
    return undefined;
  } catch (error) {
    scope.signal.throwIfAborted();
    return serverText(error) ?? messageOf(error);
  }
}

function namespaceOf(namespace: string): { readonly namespace?: string } {
  return namespace === "" ? {} : { namespace };
}

function withManagedFieldsOf(object: KubernetesObject, live: KubernetesObject): KubernetesObject {
  const managedFields = valueAt(live, "metadata", "managedFields") as Record<string, unknown>[] | undefined;
  return managedFields ? { ...object, metadata: { ...object.metadata, managedFields } } : object;
}
