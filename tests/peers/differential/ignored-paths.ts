import type { MeantDifference } from "./spec-file.ts";

/** A part of what is stored that may differ between two correct runs. */
export interface IgnoredPath {
  /** Names of files, or of objects in a cluster, as `differences` shows them. */
  readonly file: RegExp;
  /** The path inside, such as `metadata.uid`. */
  readonly path: RegExp;
  readonly reason: string;
}

const made = "two runs make two objects, at two times";

/** What is not compared. At most 25 rows; each needs a reason. */
export const ignoredInBackups: readonly IgnoredPath[] = [
  {
    file: /^(velero-backup\.json|Backup)$/,
    path: /^metadata\.(uid|resourceVersion|creationTimestamp|generation)$/,
    reason: made,
  },
  {
    file: /^(velero-backup\.json|Backup)$/,
    path: /^metadata\.managedFields/,
    reason: "the writers and the times of their writes",
  },
  {
    file: /^(velero-backup\.json|Backup)$/,
    path: /^status\.(start|completion)Timestamp$|^status\.expiration$/,
    reason: made,
  },
  {
    file: /^(velero-backup\.json|Backup)$/,
    path: /^metadata\.annotations\.jibe\.io\//,
    reason: "jibe's notes on its run",
  },
  {
    file: /^velero-backup\.json$/,
    path: /^spec\.(resourcePolicy\.apiGroup|hooks\..*\.timeout)$/,
    reason: "not given; Go writes null or 0s for it",
  },
  { file: /-itemoperations\.json\.gz$/, path: /^\[\d+\]\.spec\.backupUID$/, reason: made },
  { file: /-itemoperations\.json\.gz$/, path: /^\[\d+\]\.status\.(created|started|updated)$/, reason: made },
  { file: /-volumesnapshots\.json\.gz$/, path: /^\[\d+\]\.spec\.backupUID$/, reason: made },
  {
    file: /-itemoperations\.json\.gz$/,
    path: /^\[\d+\]\.status\.error$/,
    reason: "the plugin's words come through two libraries",
  },
  { file: /-volumeinfo\.json\.gz$/, path: /^\[\d+\]\.(start|completion)Timestamp$/, reason: made },
  {
    file: /^archive\/resources\/leases\.coordination\.k8s\.io\//,
    path: /^(spec\.renewTime|metadata\.(resourceVersion|managedFields.*))$/,
    reason: "the API server renews its own lease every few seconds",
  },
  {
    file: /^archive\/resources\/nodes\//,
    path: /^(status\.conditions\[\d+\]\.lastHeartbeatTime|metadata\.(resourceVersion|managedFields.*))$/,
    reason: "the node reports that it lives",
  },
];

const anyObject = /^[A-Za-z0-9.-]+\/[^/]*\/[^/]+$/;

/** What is not compared between two clusters that the same backup was restored into. */
export const ignoredInRestores: readonly IgnoredPath[] = [
  { file: /^Restore$/, path: /^metadata\.(uid|resourceVersion|creationTimestamp|generation)$/, reason: made },
  { file: /^Restore$/, path: /^metadata\.managedFields/, reason: "the writers and the times of their writes" },
  { file: /^Restore$/, path: /^metadata\.annotations\.jibe\.io\//, reason: "jibe's notes on its run" },
  { file: /^Restore$/, path: /^status\.(start|completion)Timestamp$/, reason: made },
  { file: /-itemoperations\.json\.gz$/, path: /^\[\d+\]\.spec\.restoreUID$/, reason: made },
  { file: /-itemoperations\.json\.gz$/, path: /^\[\d+\]\.status\.(created|started|updated)$/, reason: made },
  { file: anyObject, path: /^metadata\.(uid|resourceVersion|creationTimestamp|generation)$/, reason: made },
  { file: anyObject, path: /^metadata\.managedFields\[\d+\]\.time$/, reason: made },
  { file: anyObject, path: /^metadata\.ownerReferences\[\d+\]\.uid$/, reason: "owners are two objects" },
  {
    file: anyObject,
    path: /^status\..*(Time|Timestamp|startedAt|finishedAt)$/,
    reason: "the cluster's own controllers wrote it, each at its time",
  },
  { file: /^configmaps\/[^/]*\/kube-root-ca\.crt$/, path: /^data\./, reason: "the certificate of the cluster" },
  { file: /^pods\//, path: /^status\.(podIPs?|hostIPs?|startTime)/, reason: "the node gives out addresses" },
  {
    file: /^services\//,
    path: /^spec\.(clusterIPs?(\[\d+\])?|healthCheckNodePort|ports\[\d+\]\.nodePort)$/,
    reason: "the API server gives out addresses and ports",
  },
  { file: /^jobs\.batch\//, path: /controller-uid$/, reason: "the job is another object" },
  {
    file: /^persistentvolumeclaims\/|^persistentvolumes\//,
    path: /claimRef\.(uid|resourceVersion)$/,
    reason: "the claim is another object",
  },
];

/** What is not compared at the end of a scenario. */
export const ignoredInScenarios: readonly IgnoredPath[] = [
  { file: anyObject, path: /^metadata\.(uid|resourceVersion|creationTimestamp|generation)$/, reason: made },
  { file: anyObject, path: /^metadata\.managedFields/, reason: "the writers and the times of their writes" },
  { file: anyObject, path: /^metadata\.ownerReferences\[\d+\]\.uid$/, reason: "owners are two objects" },
  { file: anyObject, path: /^metadata\.annotations\.jibe\.io\//, reason: "jibe's notes on its run" },
  { file: anyObject, path: /^status\.(start|completion)Timestamp$|^status\.expiration$/, reason: made },
  { file: anyObject, path: /^status\.last(Backup|Skipped|SyncedTime|ValidationTime)$/, reason: made },
  { file: /^Backup\//, path: /^spec\.(hooks|metadata)$/, reason: "not given; Go writes an empty object for it" },
];

/** The table with the differences that one spec file declares. */
export function withMeant(
  rows: readonly IgnoredPath[],
  meant: readonly MeantDifference[] = [],
): readonly IgnoredPath[] {
  return [
    ...rows,
    ...meant.map(({ file, path, reason }) => ({ file: new RegExp(file), path: new RegExp(path), reason })),
  ];
}

/** The table as text, for the one who reads the test's output. */
export function describeIgnored(rows: readonly IgnoredPath[]): string {
  const lines = rows.map(({ file, path, reason }) => `  ${file.source}  ${path.source}  ${reason}`);
  return ["not compared (file, path, reason):", ...lines, ""].join("\n");
}
