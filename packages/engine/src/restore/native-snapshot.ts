import { createHash } from "node:crypto";
import { AppError, hasCode, type Scope } from "@jibe/base";
import type { KubernetesObject, Restore } from "@jibe/plugin-sdk/contracts";
import type { ResourceType } from "../ports/cluster.ts";
import type { Snapshotter } from "../ports/plugins.ts";
import type { NativeSnapshot } from "./backup-volumes.ts";
import { resourceIdOf, textAt, valueAt } from "./object-edits.ts";
import { pollUntil } from "./poll-until.ts";
import type { ItemWork } from "./restore-run.ts";
import { resetBinding, withMappedClaim } from "./volume-binding.ts";

/**
 * A volume whose data is in a native snapshot: its volume is made from the snapshot unless the cluster has it already, and it gets another
 * name where its own is taken by the volume of a namespace that is mapped to another.
 */
export async function restoreFromSnapshot(
  work: ItemWork,
  volume: KubernetesObject,
  scope: Scope,
): Promise<KubernetesObject> {
  const { run } = work;
  const oldName = volume.metadata.name;
  const claimNamespace = textAt(volume, "spec", "claimRef", "namespace");
  const isMapped = Object.hasOwn(run.restore.spec.namespaceMapping ?? {}, claimNamespace);
  const mustRename = isMapped && (await find(work, "persistentvolumes", { name: oldName }, scope)) !== undefined;
  const cloneName = cloneNameOf(run.restore, oldName);
  const clone = mustRename ? await find(work, "persistentvolumes", { name: cloneName }, scope) : undefined;
  let object = withMappedClaim(volume, work.run.filters);
  if (clone) {
    object = { ...clone, metadata: { ...clone.metadata, name: oldName } }; // made by an earlier attempt
    noteRestored(work, object);
  } else if (mustRename || (await work.slot.without(() => isGone(work, oldName, scope), scope))) {
    object = await makeVolume(work, resetBinding(object), scope);
  }
  if (!mustRename && object.metadata.name === oldName) return object;
  const name = object.metadata.name === oldName ? cloneName : object.metadata.name;
  run.volumes.renamed.set(oldName, name);
  const restored = run.volumes.restored.findIndex(({ pvName }) => pvName === oldName);
  const entry = run.volumes.restored[restored];
  if (entry) run.volumes.restored[restored] = { ...entry, pvName: name };
  const annotations = { ...object.metadata.annotations, "velero.io/original-pv-name": oldName };
  return { ...object, metadata: { ...object.metadata, name, annotations } };
}

/** The same in each attempt of a restore, so that a volume is made once. */
function requestIdOf({ metadata }: Restore, volume: string): string {
  return createHash("sha256")
    .update(`${metadata.uid ?? metadata.name}/${volume}`)
    .digest("hex");
}

function cloneNameOf(restore: Restore, volume: string): string {
  const hash = requestIdOf(restore, volume);
  const uuid = [8, 12, 16, 20, 32].map((end, index, ends) => hash.slice(ends[index - 1] ?? 0, end)).join("-");
  return `velero-clone-${uuid}`;
}

function noteRestored({ run }: ItemWork, volume: KubernetesObject): void {
  const snapshot = run.volumes.backup.snapshotOf(volume.metadata.name);
  if (!snapshot) return;
  run.volumes.restored.push({
    pvName: volume.metadata.name,
    pvcName: textAt(volume, "spec", "claimRef", "name"),
    pvcNamespace: textAt(volume, "spec", "claimRef", "namespace"),
    snapshot,
  });
}

async function makeVolume(work: ItemWork, volume: KubernetesObject, scope: Scope): Promise<KubernetesObject> {
  const { run } = work;
  const snapshot = run.volumes.backup.snapshotOf(volume.metadata.name);
  if (run.restore.spec.restorePVs === false || !snapshot) return volume;
  try {
    refuseIncomplete(snapshot);
    const { provider, config } = await run.ports.snapshotLocation(snapshot.location, scope);
    const snapshotter = await run.ports.plugins.snapshotter(provider, scope);
    await snapshotter.init(config, scope);
    const volumeId = await volumeFrom(snapshot, { work, snapshotter, pvName: volume.metadata.name }, scope);
    const made = await snapshotter.setVolumeId(volume, volumeId, scope);
    noteRestored(work, made);
    return made;
  } catch (cause) {
    scope.signal.throwIfAborted();
    const id = resourceIdOf("persistentvolumes", "", volume.metadata.name);
    throw new AppError("Internal", `error executing PVAction for ${id}`, { cause });
  }
}

/** A snapshot that was started and did not come to its end holds no volume, whatever its plugin would make of it. */
function refuseIncomplete({ providerSnapshotID, phase }: NativeSnapshot): void {
  if (providerSnapshotID === "" || (phase !== "Failed" && phase !== "New")) return;
  const state = phase === "New" ? "was never completed" : "failed";
  throw new AppError("DataLoss", `the data is not in the backup: snapshot ${providerSnapshotID} ${state}`);
}

/** The volume made by an earlier attempt that did not get to use it, or a new one. */
async function volumeFrom(
  snapshot: NativeSnapshot,
  {
    work,
    snapshotter,
    pvName,
  }: { readonly work: ItemWork; readonly snapshotter: Snapshotter; readonly pvName: string },
  scope: Scope,
): Promise<string> {
  const { made } = work.run.volumes;
  const { providerSnapshotID: snapshotId, volumeType, volumeAZ, volumeIOPS: iops } = snapshot;
  const known = await made.find(pvName, snapshotId, scope);
  if (known !== undefined) return known;
  const requestId = requestIdOf(work.run.restore, pvName);
  const input = { snapshotId, volumeType, volumeAZ, requestId, ...(iops === undefined ? {} : { iops }) };
  const volumeId = await snapshotter.createVolumeFromSnapshot(input, scope);
  await made.add({ pvName, snapshotId, volumeId }, scope);
  return volumeId;
}

/** True when no volume of that name is left, false when one is there and in use. One on its way out is waited for. */
async function isGone(work: ItemWork, name: string, scope: Scope): Promise<boolean> {
  const { clock } = work.run.ports;
  const timeoutMs = work.run.settings.terminatingResourceTimeoutMs;
  let gone = false;
  const isSettled = async () => {
    const volume = await find(work, "persistentvolumes", { name }, scope);
    gone = volume === undefined;
    return !volume || (await staysInUse(work, volume, scope));
  };
  const limits = { clock, timeoutMs, firstDelayMs: 1000, maxDelayMs: 1000 };
  if (await pollUntil(isSettled, limits, scope)) return gone;
  throw new AppError(
    "DeadlineExceeded",
    `error waiting on in-cluster persistentvolume ${name}: timed out waiting for it to go`,
  );
}

async function staysInUse(work: ItemWork, volume: KubernetesObject, scope: Scope): Promise<boolean> {
  if (textAt(volume, "status", "phase") === "Released" || volume.metadata.deletionTimestamp !== undefined) return false;
  const namespace = textAt(volume, "spec", "claimRef", "namespace");
  if (valueAt(volume, "spec", "claimRef") === undefined) return true;
  const claim = { namespace, name: textAt(volume, "spec", "claimRef", "name") };
  const owners = [
    await find(work, "persistentvolumeclaims", claim, scope),
    await find(work, "namespaces", { name: namespace }, scope),
  ];
  return owners.every(
    (owner) =>
      owner && owner.metadata.deletionTimestamp === undefined && textAt(owner, "status", "phase") !== "Terminating",
  );
}

async function find(
  { run }: ItemWork,
  resource: string,
  name: { readonly namespace?: string; readonly name: string },
  scope: Scope,
): Promise<KubernetesObject | undefined> {
  const type: ResourceType = run.types.served("v1", resource) ?? {
    group: "",
    version: "v1",
    resource,
    kind: "",
    namespaced: name.namespace !== undefined,
    verbs: [],
    shortNames: [],
    singular: "",
    subresources: [],
  };
  try {
    return (await run.ports.cluster.get(type, name, scope)).object;
  } catch (error) {
    scope.signal.throwIfAborted();
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}
