import type { Backup } from "../../api/resources.ts";

export interface QueueFacts {
  readonly backups: readonly Backup[];
  readonly concurrentBackups: number;
  /** The namespaces a backup touches, resolved against those that exist. */
  readonly namespacesOf: (backup: Backup) => ReadonlySet<string>;
}

export interface QueueChange {
  readonly name: string;
  readonly phase: "Queued" | "ReadyToStart";
  /** 0 means none. */
  readonly queuePosition: number;
}

const isNew = ({ status }: Backup) => status?.phase === undefined || status.phase === "New";
const isQueued = ({ status }: Backup) => status?.phase === "Queued";
const isRunning = ({ status }: Backup) => status?.phase === "ReadyToStart" || status?.phase === "InProgress";
/** Whether it waits, or runs in a place of the queue. */
export const isUnfinished = (backup: Backup) => isNew(backup) || isQueued(backup) || isRunning(backup);
const created = ({ metadata }: Backup) => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
const position = ({ status }: Backup) => status?.queuePosition ?? Number.MAX_SAFE_INTEGER;

/**
 * Who waits, in which place, and who may start. New backups join at the end, oldest first. From the front, every backup starts
 * that finds a free place and shares no namespace with one that runs or waits before it.
 */
export function decideQueue({ backups, concurrentBackups, namespacesOf }: QueueFacts): QueueChange[] {
  const present = backups.filter(({ metadata }) => !metadata.deletionTimestamp);
  const queue = [
    ...present.filter(isQueued).sort((a, b) => position(a) - position(b) || (created(a) < created(b) ? -1 : 1)),
    ...present.filter(isNew).sort((a, b) => (created(a) < created(b) ? -1 : 1)),
  ];
  const running = present.filter(isRunning);
  const taken = new Set(running.flatMap((backup) => [...namespacesOf(backup)]));
  let free = concurrentBackups - running.length;
  const changes: QueueChange[] = [];
  let place = 0;
  for (const backup of queue) {
    const touched = namespacesOf(backup);
    const starts = free > 0 && [...touched].every((namespace) => !taken.has(namespace));
    for (const namespace of touched) taken.add(namespace);
    if (starts) free--;
    else place++;
    const change: QueueChange = starts
      ? { name: backup.metadata.name, phase: "ReadyToStart", queuePosition: 0 }
      : { name: backup.metadata.name, phase: "Queued", queuePosition: place };
    if (change.phase !== backup.status?.phase || change.queuePosition !== (backup.status?.queuePosition ?? 0)) {
      changes.push(change);
    }
  }
  return changes;
}
