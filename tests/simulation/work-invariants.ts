import { backupKeys } from "@jibe/engine";
import type { Aftermath } from "./invariants.ts";
import type { ProviderVolume, ProviderWork } from "./provider.ts";
import { phaseOf, readRequested } from "./requests.ts";
import type { RunPlan } from "./simulated-world.ts";
import { listOf, type StoredSnapshot } from "./stored-files.ts";

/** What a server saves only every second, or had just begun to write, may be lost with it. */
const graceMs = 5000;

/** A save that meets trouble holds up the next one for as long. */
const slowSaveMs = 20_000;

/** Nothing that a server knew of for long enough is left running or lying about. */
export function checkWork(aftermath: Aftermath, plans: readonly RunPlan[]): string[] {
  const { provider, store } = aftermath;
  const snapshots = plans.flatMap(({ backup }) => listOf<StoredSnapshot>(store, backupKeys(backup).volumeSnapshots));
  const kept = new Map(snapshots.map(({ status }) => [status.providerSnapshotID, status.phase]));
  return [...provider.work.values()].flatMap((work) => {
    if (isExcused(work, aftermath)) return [];
    const what = `${work.kind} ${work.id} of ${work.subject}`;
    if (work.state === "running" && !work.isCancelAsked && !work.isDeleteAsked) return [`left running: ${what}`];
    const isWanted = kept.has(work.id);
    const isGone = work.isDeleted || work.isDeleteAsked;
    if (work.kind === "snapshot" && !isWanted && !isGone) return [`snapshot left behind: ${what} (${work.state})`];
    if (work.isDeleted && kept.get(work.id) === "Completed" && !isBeingDeleted(work.id, aftermath, plans))
      return [`snapshot of a stored backup was deleted: ${what}`];
    return [];
  });
}

function isExcused(work: ProviderWork, aftermath: Aftermath): boolean {
  const { startedBy, startedMs, isKnown, state } = work;
  const isTroubled = hadTrouble(startedBy, startedMs, aftermath);
  if (aftermath.lateSaves.some((ms) => ms >= startedMs)) return true;
  // A snapshot that is complete needs no stopping, only its line in a file that could not be written.
  return !isKnown || isLost(startedBy, startedMs, aftermath) || (isTroubled && state === "completed");
}

function hadTrouble(server: string, sinceMs: number, { troubledSaves }: Aftermath): boolean {
  return troubledSaves.some((each) => each.server === server && each.ms >= sinceMs - slowSaveMs);
}

/** Whether the server was lost before it had to have said what it had made. */
function isLost(server: string, madeMs: number, aftermath: Aftermath): boolean {
  const loss = aftermath.losses.find(({ name }) => name === server);
  return loss !== undefined && (loss.ms - madeMs < graceMs || hadTrouble(server, madeMs, aftermath));
}

/** Whether a snapshot is of a backup whose deletion has begun and met errors: what is left can be deleted by asking again. */
function isBeingDeleted(id: string, { cluster, store }: Aftermath, plans: readonly RunPlan[]): boolean {
  return plans.some(({ backup }) => {
    const own = listOf<StoredSnapshot>(store, backupKeys(backup).volumeSnapshots);
    const isOwn = own.some(({ status }) => status.providerSnapshotID === id);
    return isOwn && phaseOf(readRequested(cluster, { kind: "backup", name: backup })) === "Deleting";
  });
}

/** Every volume that a completed restore made from a snapshot is one that the cluster uses. */
export function checkVolumes(aftermath: Aftermath, plans: readonly RunPlan[]): string[] {
  const { provider, cluster, store, created } = aftermath;
  const names = [...created.keys()].filter((key) => key.startsWith("persistentvolumes /"));
  const used = new Set(
    names.map((key) => {
      const volume = cluster.read("persistentvolumes", key.slice("persistentvolumes /".length));
      return (volume?.["spec"] as { csi?: { volumeHandle?: string } } | undefined)?.csi?.volumeHandle;
    }),
  );
  return plans.flatMap(({ backup, restore }) => {
    if (phaseOf(readRequested(cluster, { kind: "restore", name: restore })) !== "Completed") return [];
    const own = listOf<StoredSnapshot>(store, backupKeys(backup).volumeSnapshots);
    const isOwn = ({ snapshotId }: ProviderVolume) =>
      own.some(({ status }) => status.providerSnapshotID === snapshotId);
    return [...provider.volumes.values()]
      .filter((made) => isOwn(made) && made.isKnown && !isLost(made.madeBy, made.madeMs, aftermath))
      .filter(({ id }) => !used.has(id))
      .map(({ id }) => `volume left behind: ${id} of ${restore}`);
  });
}
