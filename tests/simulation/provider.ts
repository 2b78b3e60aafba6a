import { AppError } from "@jibe/base";
import type { BackupAction, RestoreAction, Snapshotter } from "@jibe/engine";
import type { KubernetesObject, OperationProgress } from "@jibe/plugin-sdk/contracts";
import type { FakeClock } from "@jibe/testkit";
import { backupAction, restoreAction, snapshotter } from "../../packages/engine/test/memory-plugins.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Something that a plugin has under way, or has had. It outlives every server. */
export interface ProviderWork {
  readonly id: string;
  readonly kind: "backup" | "restore" | "snapshot";
  /** Item or volume it was started for. */
  readonly subject: string;
  readonly startedBy: string;
  readonly startedMs: number;
  state: "running" | "completed" | "failed" | "canceled";
  /** Whether the server that asked for it heard its ID. */
  isKnown: boolean;
  /** Whether any server has tried to stop it. */
  isCancelAsked: boolean;
  isDeleteAsked: boolean;
  isDeleted: boolean;
}

/** A volume that was made from a snapshot. */
export interface ProviderVolume {
  readonly id: string;
  readonly snapshotId: string;
  readonly madeBy: string;
  readonly madeMs: number;
  /** Whether the server that asked for it heard its ID. */
  isKnown: boolean;
}

export interface ProviderOptions {
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  /** Called when a backup's operation has changed its item. */
  readonly onItemDone: (place: string, operationId: string) => void;
}

export const doneAnnotation = "simulation/done";
const backupActionName = "simulation/backup-operation";
const restoreActionName = "simulation/restore-operation";

/** What stands behind the plugins: operations and snapshots that go on whether or not anyone asks. */
export class Provider {
  readonly work = new Map<string, ProviderWork>();
  readonly volumes = new Map<string, ProviderVolume>();
  readonly #options: ProviderOptions;
  #count = 0;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The plugins as one server sees them. */
  pluginsFor(server: string): {
    readonly backup: BackupAction;
    readonly restore: RestoreAction;
    readonly asynchronous: Snapshotter;
    readonly immediate: Snapshotter;
  } {
    const operation = {
      progress: async (id: string) => this.progress(id),
      cancel: async (id: string) => this.cancel(id),
    };
    const appliesTo = { includedResources: ["configmaps"], labelSelector: "operation=true" };
    return {
      backup: backupAction(backupActionName, appliesTo, undefined, {
        ...operation,
        execute: async (body, backup) => {
          const { namespace = "", name } = body.object.metadata;
          const itemsToUpdate = [{ groupResource: "configmaps", namespace, name }];
          // As plugins must: nothing is started for an item that is only fetched again.
          const isFinal = backup.status?.phase?.startsWith("Finalizing") === true;
          const operationId = isFinal ? "" : this.#start("backup", `${namespace}/${name}`, server);
          return { body, additionalItems: [], operationId, itemsToUpdate: isFinal ? [] : itemsToUpdate };
        },
      }),
      restore: restoreAction(
        restoreActionName,
        appliesTo,
        ({ metadata: { namespace = "", name } }) => ({
          operationId: this.#start("restore", `${namespace}/${name}`, server),
        }),
        operation,
      ),
      asynchronous: this.#snapshotter("simulation/asynchronous", server, { isAsynchronous: true }),
      immediate: this.#snapshotter("simulation/immediate", server, { isAsynchronous: false }),
    };
  }

  progress(id: string): OperationProgress {
    const { state } = this.#find(id);
    if (state === "running") return { completed: false, nCompleted: 1, nTotal: 2, started: this.#options.clock.now() };
    return { completed: true, ...(state === "completed" ? {} : { error: `the operation ${state}` }) };
  }

  cancel(id: string): void {
    const found = this.#find(id);
    if (found.state === "running") found.state = "canceled";
  }

  #snapshotter(name: string, server: string, { isAsynchronous }: { readonly isAsynchronous: boolean }): Snapshotter {
    const own = (volume: KubernetesObject) =>
      volume.metadata.labels?.["snapshots"] === name.slice("simulation/".length) ? `vol-${volume.metadata.name}` : "";
    return snapshotter(name, {
      asynchronous: isAsynchronous,
      getVolumeId: async (volume) => own(volume),
      createSnapshot: async ({ volumeId }) => {
        const id = this.#start("snapshot", volumeId, server);
        if (!isAsynchronous) this.#find(id).state = "completed";
        return id;
      },
      deleteSnapshot: async (id) => {
        const found = this.work.get(id);
        if (!found) return;
        found.isDeleted = true;
        if (found.state === "running") found.state = "canceled";
      },
      createVolumeFromSnapshot: async ({ snapshotId }) => {
        const { state, isDeleted } = this.#find(snapshotId);
        if (state !== "completed" || isDeleted) throw new AppError("Internal", `snapshot ${snapshotId} is ${state}`);
        const id = `volume-${this.volumes.size + 1}-from-${snapshotId}`;
        const madeMs = this.#options.clock.monotonicMs();
        this.volumes.set(id, { id, snapshotId, madeBy: server, madeMs, isKnown: false });
        return id;
      },
      setVolumeId: async (volume, volumeHandle) => {
        const spec = { ...(volume["spec"] as object), csi: { driver: "simulation", volumeHandle } };
        return { ...volume, spec };
      },
      progress: async (id) => this.progress(id),
      cancel: async (id) => this.cancel(id),
    });
  }

  #start(kind: ProviderWork["kind"], subject: string, startedBy: string): string {
    const { clock, random, onItemDone } = this.#options;
    const id = `${kind}-${++this.#count}`;
    const startedMs = clock.monotonicMs();
    const made: ProviderWork = {
      id,
      kind,
      subject,
      startedBy,
      startedMs,
      state: "running",
      isKnown: false,
      isCancelAsked: false,
      isDeleteAsked: false,
      isDeleted: false,
    };
    this.work.set(id, made);
    const end = random.pick(["completed", "completed", "completed", "completed", "failed", "never"] as const);
    if (end === "never") return id;
    clock.after(random.between(0, 90_000), () => {
      if (made.state !== "running") return;
      made.state = end;
      if (kind === "backup" && end === "completed") onItemDone(subject, id);
    });
    return id;
  }

  #find(id: string): ProviderWork {
    const found = this.work.get(id);
    if (!found) throw new AppError("InvalidArgument", `invalid operation ID ${JSON.stringify(id)}`);
    return found;
  }
}
