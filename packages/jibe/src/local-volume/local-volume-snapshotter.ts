import { randomBytes } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type Clock, type Scope } from "@jibe/base";
import type { Snapshotter } from "@jibe/engine";
import type { CreateSnapshotInput, OperationProgress } from "@jibe/plugin-sdk/contracts";
import { fileError } from "./file-error.ts";
import type { ProcessMarks } from "./process-marks.ts";
import { restoreVolume } from "./restore-volume.ts";
import { type LocalVolumeSettings, localVolumeSettings } from "./settings.ts";
import type { SnapshotCopies } from "./snapshot-copies.ts";
import { SnapshotFolder, type SnapshotState } from "./snapshot-folder.ts";
import { checkedPath, volumePathOf, withVolumePath } from "./volume-path.ts";

export interface LocalVolumeOptions {
  readonly copies: SnapshotCopies;
  readonly processes: ProcessMarks;
  readonly clock: Clock;
}

export const localVolumeName = "jibe.io/local-volume";

/**
 * Snapshots the folders behind `hostPath` and `local` persistent volumes by copying them; blocks are shared where the file system
 * can. A snapshot goes on after `createSnapshot` returned; all about it is in files, so that any process can ask and cancel.
 */
export function localVolumeSnapshotter(options: LocalVolumeOptions): Snapshotter {
  let settings: LocalVolumeSettings | undefined;
  const configured = () => {
    if (!settings) throw new AppError("Internal", `${localVolumeName} was used before init`);
    return settings;
  };
  const folderOf = (id: string) => new SnapshotFolder(configured().root, id);
  return {
    name: localVolumeName,
    asynchronous: true,
    init: async (config) => {
      settings = localVolumeSettings(config);
    },
    getVolumeId: async (volume) => volumePathOf(volume),
    setVolumeId: async (volume, volumeId) => withVolumePath(volume, volumeId),
    getVolumeInfo: async () => ({ volumeType: "local-volume" }),
    createSnapshot: (input, scope) => createSnapshot(input, { ...options, settings: configured() }, scope),
    progress: (id) => progressOf(id, folderOf(id), options),
    cancel: (id) => cancel(folderOf(id), options),
    deleteSnapshot: async (id) => {
      const folder = folderOf(id);
      await options.copies.stop(folder);
      await folder.remove();
    },
    createVolumeFromSnapshot: ({ snapshotId, requestId }, scope) => {
      const { processes } = options;
      return restoreVolume({ snapshot: folderOf(snapshotId), settings: configured(), processes, requestId }, scope);
    },
  };
}

async function createSnapshot(
  { volumeId, tags }: CreateSnapshotInput,
  { settings, copies, processes, clock }: LocalVolumeOptions & { readonly settings: LocalVolumeSettings },
  { signal, log }: Scope,
): Promise<string> {
  signal.throwIfAborted();
  const source = await sourceFolder(volumeId, settings);
  const now = clock.now();
  const id = `snap-${now.toISOString().replaceAll(/\D/g, "").slice(0, 14)}-${randomBytes(6).toString("hex")}`;
  const folder = new SnapshotFolder(settings.root, id);
  const created = now.toISOString();
  const state: SnapshotState = {
    id,
    volumeId,
    tags,
    owner: processes.own,
    phase: "New",
    created,
    updated: created,
    bytesDone: 0,
    bytesTotal: 0,
    skipped: 0,
  };
  await folder.create(state);
  copies.start({ folder, source, state, parallelFiles: settings.parallelFiles }, { log });
  return id;
}

/** The volume's folder as this process sees it, links resolved. */
async function sourceFolder(volumeId: string, { hostRoot, root }: LocalVolumeSettings): Promise<string> {
  const path = join(hostRoot, checkedPath("the volume's folder", volumeId));
  const source = await realpath(path).catch((cause: unknown) => {
    throw fileError(`snapshot ${path}: it is not reachable from where the server runs`, cause);
  });
  if (!(await stat(source)).isDirectory()) {
    throw new AppError("InvalidArgument", `cannot snapshot ${path}: it is not a folder`);
  }
  const snapshots = await realpath(root).catch(() => root); // not made yet
  if (`${snapshots}/`.startsWith(`${source}/`)) {
    throw new AppError("InvalidArgument", `cannot snapshot ${path}: the snapshots themselves lie in it`);
  }
  return source;
}

async function progressOf(id: string, folder: SnapshotFolder, options: LocalVolumeOptions): Promise<OperationProgress> {
  const state = await folder.state();
  if (!state) throw new AppError("InvalidArgument", `invalid operation ID: there is no snapshot "${id}"`);
  const { phase, started, updated, bytesDone, bytesTotal, skipped } = state;
  const isOpen = phase === "New" || phase === "InProgress";
  const isOrphan = isOpen && (await isAbandoned(state, options));
  const error = isOrphan ? "the process that made the snapshot ended before it was complete" : state.error;
  return {
    completed: !isOpen || isOrphan,
    ...(error === undefined ? {} : { error }),
    nCompleted: bytesDone,
    nTotal: bytesTotal,
    operationUnits: "Bytes",
    description: skipped === 0 ? phase : `${phase}; ${skipped} sockets, pipes or devices left out`,
    ...(started === undefined ? {} : { started: new Date(started) }),
    updated: new Date(updated),
  };
}

// Its owner writes every second, so long a silence means that the owner is gone, also where its processes cannot be seen from here.
const silenceMs = 120_000;

async function isAbandoned(
  { owner, updated }: SnapshotState,
  { processes, clock }: Pick<LocalVolumeOptions, "processes" | "clock">,
): Promise<boolean> {
  return clock.now().getTime() - Date.parse(updated) > silenceMs || (await processes.hasEnded(owner));
}

async function cancel(folder: SnapshotFolder, { copies, processes, clock }: LocalVolumeOptions): Promise<void> {
  const state = await folder.state();
  if (!state || (state.phase !== "New" && state.phase !== "InProgress")) return;
  await folder.requestCancel();
  await copies.stop(folder);
  if (!(await isAbandoned(state, { processes, clock }))) return; // the owner writes down how it ended
  await folder.dropPartialContent();
  const updated = clock.now().toISOString();
  await folder.save({ ...state, phase: "Canceled", error: "the snapshot was canceled", updated });
}
