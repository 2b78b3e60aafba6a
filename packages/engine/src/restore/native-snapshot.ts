import { AppError, hasCode, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ResourceType } from "../ports/cluster.ts";
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
  let object = withMappedClaim(volume, work.run.filters);
  if (mustRename || (await work.slot.without(() => isGone(work, oldName, scope), scope))) {
    object = await makeVolume(work, resetBinding(object), scope);
  }
  if (!mustRename && object.metadata.name === oldName) return object;
  const name = object.metadata.name === oldName ? `velero-clone-${run.ports.newId()}` : object.metadata.name;
  run.volumes.renamed.set(oldName, name);
  const restored = run.volumes.restored.findIndex(({ pvName }) => pvName === oldName);
  const entry = run.volumes.restored[restored];
  if (entry) run.volumes.restored[restored] = { ...entry, pvName: name };
  const annotations = { ...object.metadata.annotations, "velero.io/original-pv-name": oldName };
  return { ...object, metadata: { ...object.metadata, name, annotations } };
}

async function makeVolume(work: ItemWork, volume: KubernetesObject, scope: Scope): Promise<KubernetesObject> {
  const { run } = work;
  const snapshot = run.volumes.backup.snapshotOf(volume.metadata.name);
  if (run.restore.spec.restorePVs === false || !snapshot) return volume;
  try {
    const { provider, config } = await run.ports.snapshotLocation(snapshot.location, scope);
    const snapshotter = await run.ports.plugins.snapshotter(provider, scope);
    await snapshotter.init(config, scope);
    const { providerSnapshotID: snapshotId, volumeType, volumeAZ, volumeIOPS: iops } = snapshot;
    const input = { snapshotId, volumeType, volumeAZ, ...(iops === undefined ? {} : { iops }) };
    const volumeId = await snapshotter.createVolumeFromSnapshot(input, scope);
    const made = await snapshotter.setVolumeId(volume, volumeId, scope);
    run.volumes.restored.push({
      pvName: made.metadata.name,
      pvcName: textAt(made, "spec", "claimRef", "name"),
      pvcNamespace: textAt(made, "spec", "claimRef", "namespace"),
      snapshot,
    });
    return made;
  } catch (cause) {
    scope.signal.throwIfAborted();
    const id = resourceIdOf("persistentvolumes", "", volume.metadata.name);
    throw new AppError("Internal", `error executing PVAction for ${id}`, { cause });
  }
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
