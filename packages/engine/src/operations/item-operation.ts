/** Names an object in the operations file, whose keys are capitalised. */
export interface StoredResourceIdentifier {
  readonly Group: string;
  readonly Resource: string;
  readonly Namespace: string;
  readonly Name: string;
}

export type OperationPhase = "New" | "InProgress" | "Completed" | "Failed";

/** Times are RFC 3339 in whole seconds; zero values are left out of the file. */
export interface OperationStatus {
  readonly phase: OperationPhase;
  readonly error?: string;
  readonly nCompleted?: number;
  readonly nTotal?: number;
  readonly operationUnits?: string;
  readonly description?: string;
  readonly created?: string;
  readonly started?: string;
  readonly updated?: string;
}

export interface BackupOperationSpec {
  readonly backupName: string;
  readonly backupUID: string;
  /** The plugin's registered name; for a volume snapshot the snapshotter's. */
  readonly backupItemAction: string;
  readonly resourceIdentifier: StoredResourceIdentifier;
  readonly operationID: string;
  readonly postOperationItems: readonly StoredResourceIdentifier[] | null;
  /** Ours: set when the operation is a volume snapshot; names the location from which Progress and Cancel are initialised. */
  readonly volumeSnapshotLocation?: string;
}

export interface RestoreOperationSpec {
  readonly restoreName: string;
  readonly restoreUID: string;
  readonly restoreItemAction: string;
  readonly resourceIdentifier: StoredResourceIdentifier;
  readonly operationID: string;
}

/** One asynchronous operation of a backup, as the operations file holds it. */
export interface BackupOperation {
  readonly spec: BackupOperationSpec;
  readonly status: OperationStatus;
}

/** One asynchronous operation of a restore. */
export interface RestoreOperation {
  readonly spec: RestoreOperationSpec;
  readonly status: OperationStatus;
}
