import { formatGoDuration } from "@jibe/base";
import { flag, flagName } from "../flags.ts";

/** Flags of `velero install` that mean a flag of the server. */
export const passedOnFlags = {
  garbageCollectionFrequency: flag.optionalDuration("How often the server looks for expired backups"),
  itemBlockWorkerCount: flag.integer("Item blocks of a backup at work at once (0: the server's default)"),
  concurrentBackups: flag.integer("Backups at work at once (0: the server's default)"),
  defaultVolumesToFsBackup: flag.boolean("Back up pod volumes by file system unless a backup says otherwise"),
  defaultSnapshotMoveData: flag.boolean("Move snapshot data to the store unless a backup says otherwise"),
  scheduleSkipImmediately: flag.boolean("Do not run a new schedule at once unless it says so"),
  restoreOnly: flag.boolean("Run only what restores need (deprecated)", false, { hidden: true }),
  disableInformerCache: flag.boolean("Accepted for compatibility", false, { hidden: true }),
} as const;

type Value = number | boolean | undefined;

/** The server's flags for those that were given. */
export function passedOn(flags: Readonly<Record<string, unknown>>, given: ReadonlySet<string>): string[] {
  return Object.entries(passedOnFlags)
    .filter(([key]) => given.has(key))
    .map(([key, { placeholder }]: [string, { placeholder?: string }]) => {
      const value = flags[key] as Value;
      const text = placeholder === "duration" ? formatGoDuration(Number(value)) : String(value);
      return `--${flagName(key)}=${text}`;
    });
}

const accepted = (description: string) => flag.string(description, "", { hidden: true });
const acceptedSwitch = (description: string) => flag.boolean(description, false, { hidden: true });

/** Flags of `velero install` for parts that jibe does not have. They are taken, so that scripts go on, and said to do nothing. */
export const veleroOnlyFlags = {
  useNodeAgent: acceptedSwitch("There is no node agent"),
  useNodeAgentWindows: acceptedSwitch("There is no node agent"),
  privilegedNodeAgent: acceptedSwitch("There is no node agent"),
  nodeAgentPodCpuRequest: accepted("There is no node agent"),
  nodeAgentPodMemRequest: accepted("There is no node agent"),
  nodeAgentPodCpuLimit: accepted("There is no node agent"),
  nodeAgentPodMemLimit: accepted("There is no node agent"),
  nodeAgentConfigmap: accepted("There is no node agent"),
  nodeAgentPriorityClassName: accepted("There is no node agent"),
  nodeAgentDisableHostPath: acceptedSwitch("There is no node agent"),
  podVolumeOperationTimeout: accepted("There is no node agent"),
  kubeletRootDir: accepted("There is no node agent"),
  uploaderType: accepted("There is no uploader"),
  backupRepositoryConfigmap: accepted("There are no backup repositories"),
  repoMaintenanceJobConfigmap: accepted("There are no backup repositories"),
  defaultRepoMaintainFrequency: accepted("There are no backup repositories"),
  keepLatestMaintenanceJobs: accepted("There are no backup repositories"),
  maintenanceJobCpuRequest: accepted("There are no backup repositories"),
  maintenanceJobMemRequest: accepted("There are no backup repositories"),
  maintenanceJobCpuLimit: accepted("There are no backup repositories"),
  maintenanceJobMemLimit: accepted("There are no backup repositories"),
  csiSnapshotEarlyFrequentPolling: acceptedSwitch("There are no CSI snapshots"),
  showLabels: acceptedSwitch("What is printed are whole objects"),
  labelColumns: flag.string("What is printed are whole objects", "", { hidden: true, short: "L" }),
  apply: acceptedSwitch("What exists is always brought to the same state"),
} as const;

/** What to tell about flags that do nothing here. */
export function notesOnVeleroOnly(given: ReadonlySet<string>): string[] {
  return Object.entries(veleroOnlyFlags)
    .filter(([key]) => given.has(key))
    .map(
      ([key, { description }]) =>
        `--${flagName(key)} has no effect: ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
    );
}
