import { parseGoDuration } from "@jibe/base";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { timeMs } from "../../api/time.ts";

/** The folders a store may hold at its top. */
const knownFolders: ReadonlySet<string> = new Set([
  "backups/",
  "restores/",
  "restic/",
  "metadata/",
  "plugins/",
  "kopia/",
]);

/** When a location is to be checked next: 0 for now, nothing for never. */
export function checkDueInMs(
  location: BackupStorageLocation,
  defaultFrequencyMs: number,
  now: Date,
): number | undefined {
  const checked = timeMs(location.status?.lastValidationTime);
  if (checked === undefined) return 0;
  const { validationFrequency } = location.spec;
  const frequency = validationFrequency ? parseGoDuration(validationFrequency) : defaultFrequencyMs;
  if (frequency === 0) return undefined;
  return Math.max(0, checked + (frequency < 0 ? defaultFrequencyMs : frequency) - now.getTime());
}

/** What is wrong with a location's own fields, before anything is asked of its store. */
export function locationProblem({ spec }: BackupStorageLocation): string | undefined {
  const { bucket = "", caCert, caCertRef } = spec.objectStorage ?? {};
  if (caCert && caCertRef) return "only one of caCert and caCertRef may be set in spec.objectStorage";
  const inner = bucket.replace(/^\/+|\/+$/g, "");
  if (inner.includes("/") && !inner.startsWith("arn:aws:s3:")) {
    return `backup storage location's bucket name ${JSON.stringify(bucket)} must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead)`;
  }
  return undefined;
}

/** What is wrong with what lies at the top of a store. */
export function layoutProblem(topFolders: readonly string[]): string | undefined {
  const unknown = topFolders.map((folder) => folder.replace(/^\/+/, "")).filter((folder) => !knownFolders.has(folder));
  if (unknown.length === 0) return undefined;
  return `Backup store contains invalid top-level directories: [${unknown.map((folder) => folder.replace(/\/$/, "")).join(" ")}]`;
}

/** Of several default locations only the newest stays one; gives the others. */
export function surplusDefaults(locations: readonly BackupStorageLocation[]): BackupStorageLocation[] {
  const defaults = locations.filter(({ spec }) => spec.default);
  const newest = defaults.reduce<BackupStorageLocation | undefined>(
    (best, location) =>
      (location.metadata.creationTimestamp ?? "") >= (best?.metadata.creationTimestamp ?? "") ? location : best,
    undefined,
  );
  return defaults.filter((location) => location !== newest);
}

/** Secrets that some stores put into their error texts. */
export function redacted(message: string): string {
  return message.replace(/([?&;](?:sig|se|st|spr|sp|sr|sv|X-Amz-Signature|X-Amz-Credential)=)[^&\s"']+/gi, "$1***");
}
