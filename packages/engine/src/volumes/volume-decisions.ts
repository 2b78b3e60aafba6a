import type { Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ResourcePolicies } from "../policies/resource-policies.ts";
import { type PodVolume, record, text } from "../policies/volume-facts.ts";
import { type ObjectLookup, volumeOfClaim } from "./claim-lookup.ts";

export interface VolumeDecisionsOptions {
  readonly policies: ResourcePolicies | undefined;
  readonly snapshotVolumes: boolean | undefined;
  readonly defaultVolumesToFsBackup: boolean;
  /** Whether claims are left out of the backup; their volumes then are, too. */
  readonly excludesClaims: boolean;
  readonly lookup: ObjectLookup;
  /** Claims (`namespace/name`) that some pod has chosen for file-system backup by annotation or default. */
  readonly fsBackupClaims: (scope: Scope) => Promise<ReadonlySet<string>>;
}

/** Decides, per volume, whether and how its data is to be taken. */
export class VolumeDecisions {
  readonly #options: VolumeDecisionsOptions;

  constructor(options: VolumeDecisionsOptions) {
    this.#options = options;
  }

  /** Whether a pod's volume is to be taken from the file system. Fails when a policy needs a volume that is not there. */
  async wantsFsBackup(volume: PodVolume, pod: KubernetesObject, scope: Scope): Promise<boolean> {
    const { policies, excludesClaims, defaultVolumesToFsBackup } = this.#options;
    if (!hasOwnData(volume) || (volume.persistentVolumeClaim && excludesClaims)) return false;
    if (policies) {
      const { action, missing } = await this.#policyForPodVolume(policies, volume, pod, scope);
      if (action) return action.type === "fs-backup";
      if (missing) throw missing.error;
    }
    return chosenForFsBackup(volume.name, pod, defaultVolumesToFsBackup);
  }

  async #policyForPodVolume(policies: ResourcePolicies, podVolume: PodVolume, pod: KubernetesObject, scope: Scope) {
    const claimName = podVolume.persistentVolumeClaim?.claimName;
    if (claimName === undefined) return { action: policies.volumeAction({ podVolume }), missing: undefined };
    const namespace = pod.metadata.namespace ?? "";
    const place = { groupResource: "persistentvolumeclaims", namespace, name: claimName };
    const claim = await this.#options.lookup(place, scope);
    const { volume, missing } = await this.#volumeOf(claim, scope);
    const action = policies.volumeAction(volume ? { volume, claim } : { podVolume, claim });
    return { action, missing };
  }

  /** Whether a claim's volume is to be snapshotted. Fails for a claim without volume that no policy covers. */
  async wantsSnapshotOfClaim(claim: KubernetesObject, scope: Scope): Promise<boolean> {
    const { volume, missing } = await this.#volumeOf(claim, scope);
    const action = this.#options.policies?.volumeAction(volume ? { volume, claim } : { claim });
    if (action) return action.type === "snapshot";
    if (!volume) throw missing?.error;
    return this.#wantsByDefault(volume, scope);
  }

  /** Whether a persistent volume is to be snapshotted. */
  async wantsSnapshotOfVolume(volume: KubernetesObject, scope: Scope): Promise<boolean> {
    const action = this.#options.policies?.volumeAction({ volume });
    if (action) return action.type === "snapshot";
    return this.#wantsByDefault(volume, scope);
  }

  /** Whether a policy says `skip` for a volume, its claim taken into account. */
  async isSkippedByPolicy(volume: KubernetesObject, scope: Scope): Promise<boolean> {
    const { policies, lookup } = this.#options;
    if (!policies) return false;
    const claimRef = record(record(volume["spec"])["claimRef"]);
    const place = { namespace: text(claimRef["namespace"]), name: text(claimRef["name"]) };
    const claim =
      place.name === "" ? undefined : await lookup({ groupResource: "persistentvolumeclaims", ...place }, scope);
    return policies.volumeAction({ volume, claim })?.type === "skip";
  }

  /** Whether a policy says `skip` for a claim, bound or not. */
  async isClaimSkippedByPolicy(claim: KubernetesObject, scope: Scope): Promise<boolean> {
    const { policies, lookup } = this.#options;
    if (!policies) return false;
    const name = text(record(claim["spec"])["volumeName"]);
    const volume =
      name === "" ? undefined : await lookup({ groupResource: "persistentvolumes", namespace: "", name }, scope);
    return policies.volumeAction({ volume, claim })?.type === "skip";
  }

  async #wantsByDefault(volume: KubernetesObject, scope: Scope): Promise<boolean> {
    if (this.#options.snapshotVolumes === false) return false;
    const { namespace, name } = record(record(volume["spec"])["claimRef"]);
    if (text(name) === "") return true;
    const byFileSystem = await this.#options.fsBackupClaims(scope);
    return !byFileSystem.has(`${text(namespace)}/${text(name)}`);
  }

  async #volumeOf(claim: KubernetesObject, scope: Scope) {
    try {
      return { volume: await volumeOfClaim(claim, this.#options.lookup, scope), missing: undefined };
    } catch (error) {
      scope.signal.throwIfAborted();
      return { volume: undefined, missing: { error } };
    }
  }
}

/** Volumes whose content is cluster state, or lies outside what a file-system backup reaches, have no data of their own. */
function hasOwnData(volume: PodVolume): boolean {
  const stateful = ["hostPath", "secret", "configMap", "projected", "downwardAPI"];
  return !stateful.some((source) => isPresent(volume[source])) && !volume.name.startsWith("default-token");
}

const isPresent = (value: unknown) => value !== undefined && value !== null;

const includeAnnotation = "backup.velero.io/backup-volumes";
const excludeAnnotation = "backup.velero.io/backup-volumes-excludes";

/** Whether a pod has a volume backed up from the file system, by its annotations and the backup's default. */
export function chosenForFsBackup(volumeName: string, pod: KubernetesObject, byDefault: boolean): boolean {
  const annotation = pod.metadata.annotations?.[byDefault ? excludeAnnotation : includeAnnotation];
  const listed = annotation !== undefined && annotation !== "" && annotation.split(",").includes(volumeName);
  return byDefault ? !listed : listed;
}
