import { flag } from "../flags.ts";

/** Flags of commands that fetch files of a run. */
export const downloadFlags = {
  timeout: flag.duration("How long to wait for the server's answer", 60_000),
  insecureSkipTlsVerify: flag.boolean("Trust the store whatever certificate it shows"),
  cacert: flag.string("File with certificates to trust when fetching from the store", "", { placeholder: "path" }),
} as const;
