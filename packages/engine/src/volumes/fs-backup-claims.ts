import type { Scope } from "@jibe/base";
import { bodyFromBytes } from "../item/item-body.ts";
import { type PodVolume, record } from "../policies/volume-facts.ts";
import type { Cluster, Discovery } from "../ports/cluster.ts";
import { chosenForFsBackup } from "./volume-decisions.ts";

const annotation = Buffer.from("backup.velero.io/backup-volumes");

/**
 * The claims that some pod of the cluster has chosen for file-system backup: their volumes are not snapshotted. Read once, when
 * first asked. Without the default for all volumes only pods that carry the annotation are looked at.
 */
export function fsBackupClaims({
  cluster,
  discovery,
  byDefault,
}: {
  cluster: Cluster;
  discovery: Discovery;
  byDefault: boolean;
}): (scope: Scope) => Promise<ReadonlySet<string>> {
  let claims: Promise<ReadonlySet<string>> | undefined;
  return (scope) => {
    if (!claims) {
      claims = readClaims({ cluster, discovery, byDefault }, scope);
      claims.catch(() => {
        claims = undefined; // the next volume tries again
      });
    }
    return claims;
  };
}

async function readClaims(
  { cluster, discovery, byDefault }: { cluster: Cluster; discovery: Discovery; byDefault: boolean },
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const claims = new Set<string>();
  const type = discovery.find("pods");
  if (!type) return claims;
  for await (const page of cluster.listPages(type, {}, scope)) {
    for (const { bytes, namespace } of page) {
      if (!byDefault && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(annotation) < 0) continue;
      const pod = bodyFromBytes(bytes).object;
      const volumes = (record(pod["spec"])["volumes"] ?? []) as readonly PodVolume[];
      for (const { name, persistentVolumeClaim } of volumes) {
        if (!persistentVolumeClaim?.claimName || !chosenForFsBackup(name, pod, byDefault)) continue;
        claims.add(`${namespace}/${persistentVolumeClaim.claimName}`);
      }
    }
  }
  return claims;
}
