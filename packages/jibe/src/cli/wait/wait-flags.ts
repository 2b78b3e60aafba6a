import { flag } from "../flags.ts";

/** Flags of every command that can wait for a run's end. */
export const waitFlags = {
  wait: flag.boolean("Wait until the run has ended, and show how it goes", false, { short: "w" }),
  quiet: flag.boolean("While waiting, show nothing"),
  veleroExitCodes: flag.boolean("Exit with 0 however the run ends, as Velero does"),
} as const;
