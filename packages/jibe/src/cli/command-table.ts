import type { Command } from "./command.ts";
import type { Flags } from "./flags.ts";

/** One command's place in the tree. Loaded only when it runs, so that help needs none of the heavy libraries. */
export interface CommandEntry {
  /** Words on the command line; each word may have aliases, separated by `|`, the first being the one shown. */
  readonly path: string;
  /** The same command said verb first: `create backup`. */
  readonly verbForm?: string;
  readonly summary: string;
  readonly hidden?: boolean;
  readonly load: () => Promise<Command<Flags>>;
}

/** Keeps a command's own flag types inside it. */
const of = <F extends Flags>(loaded: Command<F>): Command<Flags> => loaded as unknown as Command<Flags>;

export const commandTable: readonly CommandEntry[] = [
  {
    path: "version",
    summary: "Show the versions of the client and of the server",
    load: async () => of((await import("./version/version.ts")).version),
  },
];

/** What the first words stand for, shown in help. */
export const groupSummaries: Readonly<Record<string, string>> = {
  backup: "Work with backups",
  restore: "Work with restores",
  schedule: "Work with schedules",
  "backup-location": "Work with backup storage locations",
  "snapshot-location": "Work with volume snapshot locations",
  plugin: "Work with plugins",
  client: "Work with the client's own settings",
  create: "Create a resource",
  get: "List resources",
  describe: "Describe resources",
  delete: "Delete resources",
};
