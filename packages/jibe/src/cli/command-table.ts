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
    path: "backup|backups create",
    verbForm: "create backup",
    summary: "Create a backup",
    load: async () => of((await import("./backup/create.ts")).backupCreate),
  },
  {
    path: "backup|backups get",
    verbForm: "get backup|backups",
    summary: "List backups",
    load: async () => of((await import("./backup/get.ts")).backupGet),
  },
  {
    path: "backup|backups describe",
    verbForm: "describe backup|backups",
    summary: "Tell what backups hold and how they went",
    load: async () => of((await import("./backup/describe.ts")).backupDescribe),
  },
  {
    path: "backup|backups logs",
    summary: "Show the log of a backup",
    load: async () => of((await import("./backup/logs.ts")).backupLogs),
  },
  {
    path: "backup|backups download",
    summary: "Download the archive of a backup",
    load: async () => of((await import("./backup/download.ts")).backupDownload),
  },
  {
    path: "backup|backups delete",
    verbForm: "delete backup|backups",
    summary: "Delete backups",
    load: async () => of((await import("./backup/delete.ts")).backupDelete),
  },
  {
    path: "backup|backups cancel",
    summary: "Stop a backup",
    load: async () => of((await import("./backup/cancel.ts")).backupCancel),
  },
  {
    path: "backup|backups watch",
    summary: "Show how a backup goes, live",
    load: async () => of((await import("./backup/watch.ts")).backupWatch),
  },
  {
    path: "restore|restores create",
    verbForm: "create restore",
    summary: "Restore from a backup",
    load: async () => of((await import("./restore/create.ts")).restoreCreate),
  },
  {
    path: "restore|restores get",
    verbForm: "get restore|restores",
    summary: "List restores",
    load: async () => of((await import("./restore/get.ts")).restoreGet),
  },
  {
    path: "restore|restores describe",
    verbForm: "describe restore|restores",
    summary: "Tell what restores did",
    load: async () => of((await import("./restore/describe.ts")).restoreDescribe),
  },
  {
    path: "restore|restores logs",
    summary: "Show the log of a restore",
    load: async () => of((await import("./restore/logs.ts")).restoreLogs),
  },
  {
    path: "restore|restores delete",
    verbForm: "delete restore|restores",
    summary: "Delete restores",
    load: async () => of((await import("./restore/delete.ts")).restoreDelete),
  },
  {
    path: "restore|restores cancel",
    summary: "Stop a restore",
    load: async () => of((await import("./restore/cancel.ts")).restoreCancel),
  },
  {
    path: "restore|restores watch",
    summary: "Show how a restore goes, live",
    load: async () => of((await import("./restore/watch.ts")).restoreWatch),
  },
  {
    path: "schedule|schedules create",
    verbForm: "create schedule",
    summary: "Create a schedule",
    load: async () => of((await import("./schedule/create.ts")).scheduleCreate),
  },
  {
    path: "schedule|schedules get",
    verbForm: "get schedule|schedules",
    summary: "List schedules",
    load: async () => of((await import("./schedule/get.ts")).scheduleGet),
  },
  {
    path: "schedule|schedules describe",
    verbForm: "describe schedule|schedules",
    summary: "Tell what schedules do",
    load: async () => of((await import("./schedule/describe.ts")).scheduleDescribe),
  },
  {
    path: "schedule|schedules delete",
    verbForm: "delete schedule|schedules",
    summary: "Delete schedules",
    load: async () => of((await import("./schedule/delete.ts")).scheduleDelete),
  },
  {
    path: "schedule|schedules pause",
    summary: "Pause schedules",
    load: async () => of((await import("./schedule/pause.ts")).schedulePause),
  },
  {
    path: "schedule|schedules unpause",
    summary: "Let paused schedules go on",
    load: async () => of((await import("./schedule/pause.ts")).scheduleUnpause),
  },
  {
    path: "backup-location|backup-locations create",
    verbForm: "create backup-location",
    summary: "Create a backup storage location",
    load: async () => of((await import("./backup-location/create.ts")).backupLocationCreate),
  },
  {
    path: "backup-location|backup-locations get",
    verbForm: "get backup-location|backup-locations",
    summary: "List backup storage locations",
    load: async () => of((await import("./backup-location/get.ts")).backupLocationGet),
  },
  {
    path: "backup-location|backup-locations set",
    summary: "Change a backup storage location",
    load: async () => of((await import("./backup-location/set.ts")).backupLocationSet),
  },
  {
    path: "backup-location|backup-locations delete",
    verbForm: "delete backup-location|backup-locations",
    summary: "Delete backup storage locations",
    load: async () => of((await import("./backup-location/delete.ts")).backupLocationDelete),
  },
  {
    path: "snapshot-location|snapshot-locations create",
    verbForm: "create snapshot-location",
    summary: "Create a volume snapshot location",
    load: async () => of((await import("./snapshot-location/create.ts")).snapshotLocationCreate),
  },
  {
    path: "snapshot-location|snapshot-locations get",
    verbForm: "get snapshot-location|snapshot-locations",
    summary: "List volume snapshot locations",
    load: async () => of((await import("./snapshot-location/get.ts")).snapshotLocationGet),
  },
  {
    path: "snapshot-location|snapshot-locations set",
    summary: "Change a volume snapshot location",
    load: async () => of((await import("./snapshot-location/set.ts")).snapshotLocationSet),
  },
  {
    path: "plugin|plugins get",
    verbForm: "get plugin|plugins",
    summary: "List the plugins that the server found",
    load: async () => of((await import("./plugin/get.ts")).pluginGet),
  },
  {
    path: "plugin|plugins verify",
    summary: "Check a plugin executable; no cluster is needed",
    load: async () => of((await import("./plugin/verify.ts")).pluginVerify),
  },
  {
    path: "plugin|plugins add",
    summary: "Add a plugin's image to the server",
    load: async () => of((await import("./plugin/add.ts")).pluginAdd),
  },
  {
    path: "plugin|plugins remove",
    summary: "Remove a plugin's image from the server",
    load: async () => of((await import("./plugin/remove.ts")).pluginRemove),
  },
  {
    path: "repo|repos get",
    verbForm: "get repo|repos",
    summary: "List backup repositories",
    load: async () => of((await import("./repo/get.ts")).repoGet),
  },
  {
    path: "debug",
    summary: "Collect what helps to find a problem",
    load: async () => of((await import("./debug/debug.ts")).debug),
  },
  {
    path: "bug",
    summary: "Print what a report of a problem needs",
    load: async () => of((await import("./bug/bug.ts")).bug),
  },
  {
    path: "client config get",
    summary: "Show the client's settings",
    load: async () => of((await import("./client/config.ts")).clientConfigGet),
  },
  {
    path: "client config set",
    summary: "Change the client's settings",
    load: async () => of((await import("./client/config.ts")).clientConfigSet),
  },
  {
    path: "completion",
    summary: "Print a script that completes commands, flags and names",
    load: async () => of((await import("./completion/completion.ts")).completion),
  },
  {
    path: "__complete",
    summary: "Print what may follow",
    hidden: true,
    load: async () => of((await import("./completion/complete.ts")).complete),
  },
  {
    path: "install",
    summary: "Install the server in a cluster",
    load: async () => of((await import("./install/install.ts")).install),
  },
  {
    path: "uninstall",
    summary: "Remove the server from a cluster",
    load: async () => of((await import("./install/uninstall.ts")).uninstall),
  },
  {
    path: "quickstart",
    summary: "See a backup and a restore on an embedded cluster",
    load: async () => of((await import("./quickstart/quickstart.ts")).quickstart),
  },
  {
    path: "sandbox",
    summary: "Run an embedded Kubernetes API server to try things on",
    load: async () => of((await import("./sandbox/sandbox.ts")).sandbox),
  },
  {
    path: "version",
    summary: "Show the versions of the client and of the server",
    load: async () => of((await import("./version/version.ts")).version),
  },
  {
    path: "server",
    summary: "Run the server",
    load: async () => of((await import("./server/server.ts")).server),
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
  repo: "Work with backup repositories",
  client: "Work with the client's own settings",
  create: "Create a resource",
  get: "List resources",
  describe: "Describe resources",
  delete: "Delete resources",
};
