import type { Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { BackupVolumes, NativeSnapshot } from "./backup-volumes.ts";
import type { MadeVolumes } from "./made-volumes.ts";
import { restoreFromSnapshot } from "./native-snapshot.ts";
import { textAt, valueAt, withoutValue, withValue } from "./object-edits.ts";
import type { ItemWork } from "./restore-run.ts";
import { resetBinding, withMappedClaim } from "./volume-binding.ts";

export type VolumeDecision =
  | { readonly kind: "restore"; readonly object: KubernetesObject }
  /** The volume is made anew for its claim. */
  | { readonly kind: "provision"; readonly reason: string };

/** A volume that was made from a native snapshot, for the volume info file. */
export interface RestoredVolume {
  readonly pvName: string;
  readonly pvcName: string;
  readonly pvcNamespace: string;
  readonly snapshot: NativeSnapshot;
}

/** How the volumes of a backup come back; shared by the items of a run. */
export class VolumeRules {
  readonly backup: BackupVolumes;
  /** Volumes that are made anew: their claims must not name them. */
  readonly toProvision = new Set<string>();
  readonly renamed = new Map<string, string>();
  /** Volumes made from snapshots. */
  readonly restored: RestoredVolume[];
  readonly made: MadeVolumes;
  readonly #reported = new Set<string>();

  constructor(backup: BackupVolumes, { restored, made }: Pick<VolumeRules, "restored" | "made">) {
    this.backup = backup;
    this.restored = restored;
    this.made = made;
  }

  /** True the first time a volume's data is reported as lost. */
  reportOnce(volume: string): boolean {
    if (this.#reported.has(volume)) return false;
    this.#reported.add(volume);
    return true;
  }
}

/** Decides what becomes of a persistent volume, and makes its volume from a snapshot where the backup has one. */
export async function prepareVolume(work: ItemWork, volume: KubernetesObject, scope: Scope): Promise<VolumeDecision> {
  const { volumes } = work.run;
  const method = volumes.backup.methodOf(volume);
  if (method === "NativeSnapshot") return { kind: "restore", object: await restoreFromSnapshot(work, volume, scope) };
  const reason = provisionReason(method, volume);
  if (reason !== undefined) {
    volumes.toProvision.add(work.place.name);
    return { kind: "provision", reason };
  }
  return { kind: "restore", object: resetBinding(withMappedClaim(volume, work.run.filters)) };
}

function provisionReason(method: string | undefined, volume: KubernetesObject): string | undefined {
  if (method === "PodVolumeBackup") return "made anew for its claim: its data is in a pod volume backup";
  if (method === "CSISnapshot") return "made anew for its claim: its data is in a CSI snapshot or was moved";
  const reclaims = textAt(volume, "spec", "persistentVolumeReclaimPolicy") === "Delete";
  return reclaims ? "made anew for its claim: it has no snapshot and its reclaim policy is Delete" : undefined;
}

/** A claim as it is created: free to be bound again, to a new volume or a renamed one where need be. */
export function prepareClaim({ run }: Pick<ItemWork, "run">, claim: KubernetesObject): KubernetesObject {
  const volumeName = textAt(claim, "spec", "volumeName");
  if (volumeName === "") return claim;
  const { toProvision, renamed } = run.volumes;
  const free = resetBinding(claim);
  if (toProvision.has(volumeName)) return withoutValue(free, ["spec", "volumeName"]);
  const newName = renamed.get(volumeName);
  return newName === undefined ? free : withValue(free, ["spec", "volumeName"], newName);
}

const waitContainers: ReadonlySet<unknown> = new Set(["restore-wait", "restic-wait"]);

/** A pod without the init containers that an earlier restore put in front to wait for its data: nothing would end that wait. */
export function withoutWaitContainers(pod: KubernetesObject): KubernetesObject {
  const containers = valueAt(pod, "spec", "initContainers");
  if (!Array.isArray(containers) || !containers.some((each) => waitContainers.has(valueAt(each, "name")))) return pod;
  const kept = containers.filter((each) => !waitContainers.has(valueAt(each, "name")));
  return kept.length === 0
    ? withoutValue(pod, ["spec", "initContainers"])
    : withValue(pod, ["spec", "initContainers"], kept);
}
