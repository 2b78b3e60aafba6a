/** What the command line's exit status means. */
export const exitCode = {
  ok: 0,
  error: 1,
  usage: 2,
  partiallyFailed: 3,
  failed: 4,
  interrupted: 130,
  readerGone: 141,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** When each is given, for people. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCode, string>> = {
  ok: "The command did its work. With `--velero-exit-codes` also when the run that was waited for failed.",
  error: "The command could not do its work; the message on standard error says why and what to do.",
  usage: "The command line was wrong: an unknown command or flag, or a value that makes no sense.",
  partiallyFailed: "`--wait` or `watch` saw the run end in `PartiallyFailed`.",
  failed: "`--wait` or `watch` saw the run end in `Failed` or `FailedValidation`.",
  interrupted: "Ended by Ctrl-C, SIGTERM or a closed terminal. A run that was waited for goes on.",
  readerGone: "Whoever read the output went away, as `head` does, before the command was done.",
};
