/** How far an asynchronous operation has come, in the plugin's own units. */
export interface OperationProgress {
  /** True once nothing more will happen, whether it went well or not. */
  readonly completed: boolean;
  /** Why it failed; only meaningful together with `completed`. */
  readonly error?: string;
  readonly nCompleted?: number;
  readonly nTotal?: number;
  readonly operationUnits?: string;
  readonly description?: string;
  /** Absent while the operation waits to start. */
  readonly started?: Date;
  readonly updated?: Date;
}
