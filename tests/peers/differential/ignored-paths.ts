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
    file: /^velero-backup\.json$/,
    path: /^metadata\.(uid|resourceVersion|creationTimestamp|generation)$/,
    reason: made,
  },
  {
    file: /^velero-backup\.json$/,
    path: /^metadata\.managedFields/,
    reason: "the writers and the times of their writes",
  },
  { file: /^velero-backup\.json$/, path: /^status\.(start|completion)Timestamp$|^status\.expiration$/, reason: made },
  { file: /-itemoperations\.json\.gz$/, path: /^\[\d+\]\.spec\.backupUID$/, reason: made },
  { file: /-itemoperations\.json\.gz$/, path: /^\[\d+\]\.status\.(created|started|updated)$/, reason: made },
  { file: /-volumesnapshots\.json\.gz$/, path: /^\[\d+\]\.spec\.backupUID$/, reason: made },
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
