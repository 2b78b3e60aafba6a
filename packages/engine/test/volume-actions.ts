import type { KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { BackupAction, BlockAction } from "../src/ports/plugins.ts";
import { backupAction, blockAction } from "./memory-plugins.ts";

function claimsOf(pod: KubernetesObject): ResourceIdentifier[] {
  const { volumes = [] } = (pod["spec"] ?? {}) as { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
  const { namespace = "" } = pod.metadata;
  return volumes.flatMap(({ persistentVolumeClaim: claim }) =>
    claim ? [{ groupResource: "persistentvolumeclaims", namespace, name: claim.claimName }] : [],
  );
}

function volumeOf(claim: KubernetesObject): ResourceIdentifier[] {
  const { volumeName } = (claim["spec"] ?? {}) as { volumeName?: string };
  return volumeName ? [{ groupResource: "persistentvolumes", name: volumeName }] : [];
}

/** What a server's own actions do for volumes: a pod brings its claims, a claim its volume. */
export function volumeBackupActions(): BackupAction[] {
  return [
    backupAction("velero.io/pod", { includedResources: ["pods"] }, (pod) => ({ additionalItems: claimsOf(pod) })),
    backupAction("velero.io/pv", { includedResources: ["persistentvolumeclaims"] }, (claim) => ({
      additionalItems: volumeOf(claim),
    })),
  ];
}

export function volumeBlockActions(): BlockAction[] {
  return [
    blockAction("velero.io/pod", { includedResources: ["pods"] }, claimsOf),
    blockAction("velero.io/pvc", { includedResources: ["persistentvolumeclaims"] }, volumeOf),
  ];
}
