/** What the command line's exit status means. */
export const exitCode = {
  ok: 0,
  /** The command could not do its work. */
  error: 1,
  /** The command line was wrong. */
  usage: 2,
  /** `--wait` saw the run end in PartiallyFailed. */
  partiallyFailed: 3,
  /** `--wait` saw the run end in Failed or FailedValidation. */
  failed: 4,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
