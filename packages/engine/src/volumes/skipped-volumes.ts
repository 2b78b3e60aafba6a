import { compareBytes } from "../layout/go-json.ts";

/** The way in which a volume's data would have been taken. */
export type VolumeApproach = "podvolume" | "csiSnapshot" | "volumeSnapshot" | "vsphereSnapshot" | "any";

export interface SkippedVolume {
  readonly name: string;
  readonly reasons: readonly { readonly approach: VolumeApproach; readonly reason: string }[];
}

/** Which persistent volumes' data is not in the backup, and why. A volume taken once is never reported as skipped. */
export class SkippedVolumes {
  readonly #skipped = new Map<string, Map<VolumeApproach, string>>();
  readonly #taken = new Set<string>();

  record(volumeName: string, approach: VolumeApproach, reason: string): void {
    if (volumeName === "" || this.#taken.has(volumeName)) return;
    const reasons = this.#skipped.get(volumeName) ?? new Map<VolumeApproach, string>();
    reasons.set(approach, reason);
    this.#skipped.set(volumeName, reasons);
  }

  take(volumeName: string): void {
    this.#taken.add(volumeName);
    this.#skipped.delete(volumeName);
  }

  isTaken(volumeName: string): boolean {
    return this.#taken.has(volumeName);
  }

  /** By name; the reasons of each by approach. */
  summary(): SkippedVolume[] {
    return [...this.#skipped.entries()]
      .sort(([a], [b]) => compareBytes(a, b))
      .map(([name, reasons]) => ({
        name,
        reasons: [...reasons.entries()]
          .sort(([a], [b]) => compareBytes(a, b))
          .map(([approach, reason]) => ({ approach, reason })),
      }));
  }
}
