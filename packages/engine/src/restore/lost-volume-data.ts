import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { valueAt } from "./object-edits.ts";
import type { ItemWork } from "./restore-run.ts";

/**
 * Reports data that the backup has and that nothing restores: a claim or pod that came back with an empty volume must not pass for
 * restored. A claim for which a plugin started an operation, or which takes its data from another object, is in that plugin's hands.
 */
export function reportLostData(work: ItemWork, created: KubernetesObject): void {
  if (work.place.groupResource === "persistentvolumeclaims") reportClaim(work, created);
  if (work.place.groupResource === "pods") reportPod(work);
}

function reportClaim(work: ItemWork, claim: KubernetesObject): void {
  const { run, place } = work;
  const method = run.volumes.backup.infoOfClaim(place.namespace, place.name)?.backupMethod ?? legacyMethod(work);
  if (method !== "PodVolumeBackup" && method !== "CSISnapshot") return;
  if (method === "CSISnapshot" && run.restore.spec.restorePVs === false) return;
  const isPopulated = valueAt(claim, "spec", "dataSource") ?? valueAt(claim, "spec", "dataSourceRef");
  const hasOperation = run.operations.some(
    ({ spec: { resourceIdentifier: id } }) =>
      id.Resource === "persistentvolumeclaims" && id.Namespace === place.targetNamespace && id.Name === place.name,
  );
  if (isPopulated || hasOperation) return;
  const info = run.volumes.backup.infoOfClaim(place.namespace, place.name);
  report(work, `claim ${place.targetNamespace}/${place.name}`, info?.snapshotDataMoved ? "data movement" : method);
}

/** Older backups have no volume infos: the claim's volume tells. */
function legacyMethod({ run, place }: ItemWork): string | undefined {
  const { namespace, name } = place;
  return run.volumes.backup.methodOf({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "" },
    spec: { claimRef: { namespace, name } },
  });
}

function reportPod(work: ItemWork): void {
  const { run, place } = work;
  for (const { claim, volume } of run.volumes.backup.podVolumes(place.namespace, place.name)) {
    const what =
      claim === ""
        ? `volume ${volume} of pod ${place.targetNamespace}/${place.name}`
        : `claim ${place.targetNamespace}/${claim}`;
    report(work, what, "PodVolumeBackup");
  }
}

function report({ run, report: item }: ItemWork, volume: string, method: string): void {
  if (!run.volumes.reportOnce(volume)) return;
  item.error(
    `the data of ${volume} was not restored: the backup has it by ${method}, which this server cannot restore; the volume is empty`,
    { step: "volume data" },
  );
}
