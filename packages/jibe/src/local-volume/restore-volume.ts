import { createHash, randomBytes } from "node:crypto";
import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { copyTree } from "./copy-tree.ts";
import { fileError } from "./file-error.ts";
import type { ProcessMarks } from "./process-marks.ts";
import type { LocalVolumeSettings } from "./settings.ts";
import type { SnapshotFolder, SnapshotState } from "./snapshot-folder.ts";
import { checkedPath } from "./volume-path.ts";

const draftPrefix = ".jibe-partial-";

export interface VolumeRestore {
  readonly snapshot: SnapshotFolder;
  readonly settings: LocalVolumeSettings;
  readonly processes: ProcessMarks;
  /** Names the volume, so that one request makes one volume, also when the process is killed and the request comes again. */
  readonly requestId?: string | undefined;
}

/** Makes a new volume from a snapshot that is complete, and gives its folder as the node sees it. */
export async function restoreVolume(
  { snapshot, settings, processes, requestId }: VolumeRestore,
  scope: Scope,
): Promise<string> {
  scope.signal.throwIfAborted();
  const state = await completed(snapshot);
  const original = checkedPath("the volume's folder", state.volumeId);
  const suffix = requestId === undefined ? randomBytes(8).toString("hex") : suffixFrom(requestId, state.id);
  const parent = settings.volumes ?? dirname(original);
  const volumeId = join(parent, `${basename(original)}-${suffix}`);
  const seenParent = join(settings.hostRoot, parent);
  const draft = join(seenParent, `${draftPrefix}${processes.own}-${suffix}`);
  try {
    await mkdir(seenParent, { recursive: true });
    await removeDeadDrafts(seenParent, processes);
    if (await exists(join(settings.hostRoot, volumeId))) return volumeId; // an earlier attempt got this far; only whole volumes have this name
    const ignore = () => {};
    const { parallelFiles } = settings;
    await copyTree(
      { source: snapshot.content, target: draft, parallelFiles, onBytes: ignore, onSkipped: ignore },
      scope,
    );
    await rename(draft, join(settings.hostRoot, volumeId));
    return volumeId;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    scope.signal.throwIfAborted();
    throw fileError(`restore snapshot "${state.id}" to ${volumeId}`, error);
  }
}

function suffixFrom(requestId: string, snapshotId: string): string {
  return createHash("sha256").update(`${requestId}/${snapshotId}`).digest("hex").slice(0, 16);
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function completed(snapshot: SnapshotFolder): Promise<SnapshotState> {
  const state = await snapshot.state();
  if (!state) throw new AppError("NotFound", `there is no snapshot in ${snapshot.path}`);
  if (state.phase === "Completed") return state;
  throw new AppError("InvalidArgument", `cannot restore snapshot "${state.id}": its phase is ${state.phase}`);
}

/** Removes what processes left that were killed while they restored. */
async function removeDeadDrafts(folder: string, processes: ProcessMarks): Promise<void> {
  for (const name of await readdir(folder)) {
    const mark = name.startsWith(draftPrefix) ? name.slice(draftPrefix.length).replace(/-[0-9a-f]{16}$/, "") : "";
    if (mark !== "" && (await processes.hasEnded(mark))) await rm(join(folder, name), { recursive: true, force: true });
  }
}
