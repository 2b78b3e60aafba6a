import type { Clock, Scope } from "@jibe/base";
import type { Snapshotter } from "@jibe/engine";
import { processMarks } from "../scratch/process-mark.ts";
import { localVolumeSnapshotter } from "./local-volume-snapshotter.ts";
import { SnapshotCopies } from "./snapshot-copies.ts";

/** The copies of volumes that this process makes; they outlive the runs that asked for them and end with it. */
export interface LocalVolumes extends AsyncDisposable {
  /** A snapshotter with settings of its own: `init` of one does not touch another. */
  snapshotter(): Snapshotter;
}

export async function openLocalVolumes({ clock }: { readonly clock: Clock }, scope: Scope): Promise<LocalVolumes> {
  scope.signal.throwIfAborted();
  const copies = new SnapshotCopies(clock);
  const processes = await processMarks();
  return {
    snapshotter: () => localVolumeSnapshotter({ copies, processes, clock }),
    [Symbol.asyncDispose]: () => copies[Symbol.asyncDispose](),
  };
}
