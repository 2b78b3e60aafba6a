/** Tells processes apart, also after they ended. */
export interface ProcessMarks {
  /** The mark of this process; can be part of a file name. */
  readonly own: string;
  /** Whether a process is gone for certain. */
  hasEnded(mark: string): Promise<boolean>;
}
