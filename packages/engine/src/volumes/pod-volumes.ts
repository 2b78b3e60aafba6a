import { messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { type PodVolume, record, text } from "../policies/volume-facts.ts";
import { type ObjectLookup, volumeOfClaim } from "./claim-lookup.ts";
import type { SkippedVolumes } from "./skipped-volumes.ts";
import type { VolumeDecisions } from "./volume-decisions.ts";

export interface ChosenVolumes {
  /** Volumes to be taken from the file system. */
  readonly volumes: readonly PodVolume[];
  /** Why it could not be decided for some. */
  readonly errors: readonly unknown[];
}

/**
 * The volumes of pods that are to be backed up from the file system. This server cannot do that, so each one asked for becomes an
 * error that names volume, claim and method, and is listed as skipped with that reason.
 */
export class PodVolumes {
  readonly #decisions: VolumeDecisions;
  readonly #skipped: SkippedVolumes;
  readonly #lookup: ObjectLookup;
  /** Claims by what the first pod that mounts them said: wanted, or given up by that pod. */
  readonly #claims = new Map<string, { readonly wanted: boolean; readonly pod: string }>();
  readonly #reported = new Set<string>();

  constructor(options: { decisions: VolumeDecisions; skipped: SkippedVolumes; lookup: ObjectLookup }) {
    this.#decisions = options.decisions;
    this.#skipped = options.skipped;
    this.#lookup = options.lookup;
  }

  async choose(pod: KubernetesObject, scope: Scope): Promise<ChosenVolumes> {
    const volumes: PodVolume[] = [];
    const errors: unknown[] = [];
    for (const volume of (record(pod["spec"])["volumes"] ?? []) as readonly PodVolume[]) {
      const wanted = await this.#decisions.wantsFsBackup(volume, pod, scope).catch((error: unknown) => {
        scope.signal.throwIfAborted();
        errors.push(error);
        return false;
      });
      if (wanted) volumes.push(volume);
      this.#note(volume, pod, wanted);
    }
    return { volumes, errors };
  }

  #note(volume: PodVolume, pod: KubernetesObject, wanted: boolean): void {
    const claim = claimOf(volume, pod);
    if (claim !== undefined && !this.#claims.has(claim)) this.#claims.set(claim, { wanted, pod: pod.metadata.name });
  }

  /** The pod that has given up a claim's volume, if one has. */
  givenUpBy(claim: KubernetesObject): string | undefined {
    const { namespace = "", name } = claim.metadata;
    const noted = this.#claims.get(`${namespace}/${name}`);
    return noted?.wanted === false ? noted.pod : undefined;
  }

  /** Logs what could not be taken. A claim that several pods mount is reported once. */
  async report(pod: KubernetesObject, volumes: readonly PodVolume[], scope: Scope): Promise<void> {
    for (const volume of volumes) {
      const claim = claimOf(volume, pod);
      if (claim !== undefined && this.#reported.has(claim)) continue;
      if (claim !== undefined) this.#reported.add(claim);
      const place = `${pod.metadata.namespace}/${pod.metadata.name}`;
      const harmless = harmlessReason(volume, pod, place);
      const reason = harmless?.reason ?? missingMethod(volume, place, claim);
      if (harmless) scope.log.warn(harmless.message, harmless.fields);
      else scope.log.error("Volume data cannot be backed up", { error: reason });
      if (claim !== undefined) await this.#skip(claim, reason, scope);
    }
  }

  async #skip(claimPlace: string, reason: string, scope: Scope): Promise<void> {
    const [namespace = "", name = ""] = claimPlace.split("/");
    try {
      const claim = await this.#lookup({ groupResource: "persistentvolumeclaims", namespace, name }, scope);
      const volume = await volumeOfClaim(claim, this.#lookup, scope);
      this.#skipped.record(volume.metadata.name, "podvolume", reason);
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.info("unable to get PV name, skip tracking.", { error: messageOf(error) });
    }
  }
}

function claimOf({ persistentVolumeClaim }: PodVolume, pod: KubernetesObject): string | undefined {
  const name = persistentVolumeClaim?.claimName;
  return name ? `${pod.metadata.namespace ?? ""}/${name}` : undefined;
}

function missingMethod({ name }: PodVolume, pod: string, claim: string | undefined): string {
  const of = claim === undefined ? "" : ` (claim ${claim})`;
  return (
    `file-system backup of volume ${JSON.stringify(name)} of pod ${pod}${of} was asked for and cannot be made: ` +
    "this server has no file-system backup"
  );
}

/** Cases in which Velero, too, takes nothing and only warns. */
function harmlessReason(volume: PodVolume, pod: KubernetesObject, place: string) {
  const { name } = volume;
  if (text(record(pod["status"])["phase"]) !== "Running") {
    const reason = `encountered a problem with backing up the PVC of pod ${place}: pod is not running`;
    return { message: `Skip pod volume ${name}`, fields: { error: "pod is not running" }, reason };
  }
  type Container = { volumeMounts?: { name: string }[]; volumeDevices?: { name: string }[] };
  const containers = (record(pod["spec"])["containers"] ?? []) as readonly Container[];
  const isDevice = containers.some(({ volumeDevices = [] }) => volumeDevices.some((device) => device.name === name));
  const isMounted = containers.some(({ volumeMounts = [] }) => volumeMounts.some((mount) => mount.name === name));
  if (isDevice) {
    const reason = `volume ${name} declared in pod ${place} is a block volume. Block volumes are not supported for fs backup, skipping`;
    return { message: reason, fields: {}, reason };
  }
  if (!isMounted) {
    const reason = `volume ${name} is declared in pod ${place} but not mounted by any container, skipping`;
    return { message: reason, fields: {}, reason };
  }
  return undefined;
}
