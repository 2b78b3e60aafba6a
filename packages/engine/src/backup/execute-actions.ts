import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { ItemBody } from "../item/item-body.ts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { BackupOperation, StoredResourceIdentifier } from "../operations/item-operation.ts";
import type { BackupAction, BackupActionResult } from "../ports/plugins.ts";
import type { BackupRun } from "./backup-run.ts";
import type { ItemFailure } from "./item-account.ts";
import type { RunItem } from "./run-item.ts";

const skipAnnotation = "velero.io/skip-from-backup";
const mustIncludeAnnotation = "backup.velero.io/must-include-additional-items";
const noCsiVolumeAnnotation = "backup.velero.io/skipped-no-csi-pv";
const csiClaimAction = "velero.io/csi-pvc-backupper";
const volumeActions: ReadonlySet<string> = new Set([csiClaimAction, "velero.io/vsphere-pvc-backupper"]);

const policyReason = "skipped due to resource policy "; // with the blank, as Velero writes it

export type ActionsOutcome =
  | { readonly kind: "done"; readonly body: ItemBody }
  | { readonly kind: "skip"; readonly plugin: string }
  | { readonly kind: "failed"; readonly failure: ItemFailure };

/** Backs up an item that an action asked for; gives the text of its failure, if it failed. */
export type AdditionalItem = (
  id: ResourceIdentifier,
  options: { readonly mustInclude: boolean },
  scope: Scope,
) => Promise<string | undefined>;

/** Runs the actions that apply to an item, one after the other, each on what the one before returned. */
export async function executeActions(
  item: RunItem,
  run: BackupRun,
  backUpAdditional: AdditionalItem,
  scope: Scope,
): Promise<ActionsOutcome> {
  let body = await item.body(scope);
  await notePolicy(item, body, run, scope);
  for (const action of item.actions) {
    try {
      if (!(await shouldRun(action, item, body, run, scope))) continue;
      const result = await execute(action, item, body, run, scope);
      if (hasAnnotation(result.body, skipAnnotation)) return { kind: "skip", plugin: action.name };
      if (action.name === csiClaimAction) await noteCsiClaim(result, body, run);
      body = result.body;
      recordOperation(action, item, result, run);
      const mustInclude = run.finalizing || hasAnnotation(body, mustIncludeAnnotation, "true");
      for (const id of result.additionalItems) {
        const failed = await backUpAdditional(id, { mustInclude }, scope);
        if (failed !== undefined) return failure("additional item", action, failed);
      }
    } catch (error) {
      scope.signal.throwIfAborted();
      return failure("action", action, messageOf(error));
    }
  }
  return { kind: "done", body };
}

function failure(step: string, { name }: BackupAction, text: string): ActionsOutcome {
  return { kind: "failed", failure: { step, plugin: name, text } };
}

async function execute(
  action: BackupAction,
  { groupResource, namespace, name }: RunItem,
  body: ItemBody,
  run: BackupRun,
  scope: Scope,
): Promise<BackupActionResult> {
  try {
    const result = await action.execute(body, run.backup, scope);
    if (result.body !== body) requireName(result.body, action); // an unchanged item need not be parsed for it
    return result;
  } catch (cause) {
    scope.signal.throwIfAborted();
    const item = `(groupResource=${groupResource}, namespace=${namespace}, name=${name})`;
    const code = hasCode(cause, "DataLoss") ? "DataLoss" : "Internal";
    throw new AppError(code, `error executing custom action ${item}`, { cause, fields: { plugin: action.name } });
  }
}

/** A claim that a policy skips is listed with that reason, also where no action would have taken its volume. */
async function notePolicy(item: RunItem, body: ItemBody, run: BackupRun, scope: Scope): Promise<void> {
  if (!run.volumes || item.groupResource !== "persistentvolumeclaims") return;
  if (item.actions.some(({ name }) => volumeActions.has(name))) return;
  const isSkipped = await run.volumes.decisions.isClaimSkippedByPolicy(body.object, scope).catch((error: unknown) => {
    scope.signal.throwIfAborted();
    scope.log.debug("cannot tell whether a policy skips the claim", { error: messageOf(error) });
    return false;
  });
  if (isSkipped) skipClaim(body, run, "any", policyReason);
}

/** Actions on volumes do not run where CSI is off, a policy says skip, or no snapshot is wanted. */
async function shouldRun(
  { name }: BackupAction,
  item: RunItem,
  body: ItemBody,
  run: BackupRun,
  scope: Scope,
): Promise<boolean> {
  const { volumes } = run;
  const isClaim = item.groupResource === "persistentvolumeclaims";
  if (volumes && isClaim && volumeActions.has(name)) {
    if (await volumes.decisions.isClaimSkippedByPolicy(body.object, scope)) {
      skipClaim(body, run, "any", policyReason);
      return false;
    }
  }
  if (name.includes("velero.io/csi-") && !run.features.has("EnableCSI")) return false;
  if (volumes && isClaim && name === csiClaimAction) {
    if (await volumes.decisions.wantsSnapshotOfClaim(body.object, scope)) return true;
    const reason = "not satisfy the criteria for VolumePolicy or the legacy snapshot way";
    skipClaim(body, run, "volumeSnapshot", reason);
    return false;
  }
  return true;
}

/** Whether the volume's data was taken or refused is told by an annotation on the claim. */
async function noteCsiClaim(result: BackupActionResult, before: ItemBody, run: BackupRun): Promise<void> {
  const refused = result.additionalItems.length === 0 && hasAnnotation(result.body, noCsiVolumeAnnotation, "true");
  if (refused) skipClaim(before, run, "csiSnapshot", "skipped b/c it's not a CSI volume");
  else run.volumes?.skipped.take(volumeNameOf(before));
}

function skipClaim(body: ItemBody, run: BackupRun, approach: "any" | "csiSnapshot" | "volumeSnapshot", reason: string) {
  run.volumes?.skipped.record(volumeNameOf(body), approach, reason);
}

function volumeNameOf(claim: ItemBody): string {
  return (claim.object["spec"] as { volumeName?: string } | undefined)?.volumeName ?? "";
}

/** An answer that is no object, or has no name, is the action's failure, not the archive's. */
function requireName(body: ItemBody, { name }: BackupAction): void {
  const { metadata } = body.object;
  if (typeof metadata.name === "string" && metadata.name !== "") return;
  throw new AppError("InvalidArgument", `plugin ${JSON.stringify(name)} returned an item without a name`);
}

/** Looks at an annotation only when its name occurs in the body at all: most bodies need not be parsed for it. */
function hasAnnotation(body: ItemBody, key: string, value?: string): boolean {
  const { bytes } = body;
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(key)) return false;
  const found = body.object.metadata.annotations?.[key];
  return value === undefined ? found !== undefined : found === value;
}

function recordOperation(action: BackupAction, item: RunItem, result: BackupActionResult, run: BackupRun): void {
  if (result.operationId === "") return;
  const { groupResource, namespace = "", name } = item;
  if (run.finalizing) {
    const place = `(groupResource=${groupResource}, namespace=${namespace}, name=${name})`;
    throw new AppError("InvalidArgument", `backup Item Action created operation during finalize ${place}`);
  }
  const operation: BackupOperation = {
    spec: {
      backupName: run.backup.metadata.name,
      backupUID: run.backup.metadata.uid ?? "",
      backupItemAction: action.name,
      resourceIdentifier: storedIdentifier({ groupResource, namespace, name }),
      operationID: result.operationId,
      postOperationItems: result.itemsToUpdate.length === 0 ? null : result.itemsToUpdate.map(storedIdentifier),
    },
    status: { phase: "New", created: kubernetesTime(run.clock.now()) },
  };
  run.started.addOperation(operation);
}

/** An identifier as the operations file holds it. */
export function storedIdentifier({ groupResource, namespace, name }: ResourceIdentifier): StoredResourceIdentifier {
  const dot = groupResource.indexOf(".");
  return {
    Group: dot < 0 ? "" : groupResource.slice(dot + 1),
    Resource: dot < 0 ? groupResource : groupResource.slice(0, dot),
    Namespace: namespace ?? "",
    Name: name,
  };
}
