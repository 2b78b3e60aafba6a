import { AppError } from "@jibe/base";
import type { KubernetesObject, ResourceIdentifier, ResourceSelector } from "@jibe/plugin-sdk/contracts";
import { bodyFromObject, type ItemBody } from "../src/item/item-body.ts";
import type {
  BackupAction,
  BackupActionResult,
  BlockAction,
  DeleteAction,
  RestoreAction,
  RestoreActionInput,
  RestoreActionResult,
  RunPlugins,
  Snapshotter,
} from "../src/ports/plugins.ts";

export interface MemoryPluginSet {
  readonly backup?: readonly BackupAction[];
  readonly restore?: readonly RestoreAction[];
  readonly block?: readonly BlockAction[];
  readonly delete?: readonly DeleteAction[];
  readonly snapshotters?: Readonly<Record<string, Snapshotter>>;
}

/** Plugins in process. Snapshotters are by provider name. */
export function memoryPlugins(set: MemoryPluginSet = {}): RunPlugins {
  return {
    backupActions: async () => set.backup ?? [],
    restoreActions: async () => set.restore ?? [],
    blockActions: async () => set.block ?? [],
    deleteActions: async () => set.delete ?? [],
    async snapshotter(provider) {
      const found = set.snapshotters?.[provider] ?? set.snapshotters?.[provider.replace(/^velero\.io\//, "")];
      if (!found) throw new AppError("NotFound", `unable to locate VolumeSnapshotter plugin named ${provider}`);
      return found;
    },
  };
}

type BackupOutcome = Partial<Omit<BackupActionResult, "body">> & { readonly item?: KubernetesObject };

/** A backup action from a function on objects. What it does not return stays as it was. */
export function backupAction(
  name: string,
  selector: ResourceSelector,
  execute: (item: KubernetesObject, body: ItemBody) => BackupOutcome | Promise<BackupOutcome> = () => ({}),
  more: Partial<BackupAction> = {},
): BackupAction {
  return {
    name,
    appliesTo: async () => selector,
    async execute(body) {
      const { item, ...rest } = await execute(body.object, body);
      return {
        body: item ? bodyFromObject(item) : body,
        additionalItems: [],
        operationId: "",
        itemsToUpdate: [],
        ...rest,
      };
    },
    progress: async () => ({ completed: false }),
    cancel: async () => {},
    ...more,
  };
}

/** A backup action that changes nothing and tells what it sees. */
export function watching(selector: ResourceSelector, see: (item: KubernetesObject) => unknown): BackupAction {
  return backupAction("example.io/watch", selector, (item) => {
    see(item);
    return {};
  });
}

type RestoreOutcome = Partial<Omit<RestoreActionResult, "body">> & { readonly item?: KubernetesObject };

/** A restore action from a function on objects. */
export function restoreAction(
  name: string,
  selector: ResourceSelector,
  execute: (item: KubernetesObject, input: RestoreActionInput) => RestoreOutcome | Promise<RestoreOutcome> = () => ({}),
  more: Partial<RestoreAction> = {},
): RestoreAction {
  return {
    name,
    appliesTo: async () => selector,
    async execute(input) {
      const { item, ...rest } = await execute(input.body.object, input);
      return {
        body: item ? bodyFromObject(item) : input.body,
        additionalItems: [],
        skipRestore: false,
        operationId: "",
        waitForAdditionalItems: false,
        additionalItemsReadyTimeoutMs: 0,
        ...rest,
      };
    },
    progress: async () => ({ completed: false }),
    cancel: async () => {},
    areAdditionalItemsReady: async () => true,
    ...more,
  };
}

/** An item block action from a function on objects. */
export function blockAction(
  name: string,
  selector: ResourceSelector,
  related: (item: KubernetesObject) => readonly ResourceIdentifier[] | Promise<readonly ResourceIdentifier[]>,
): BlockAction {
  return { name, appliesTo: async () => selector, getRelatedItems: async (body) => related(body.object) };
}

/** A snapshotter that takes every volume; override what a test is about. */
export function snapshotter(name: string, more: Partial<Snapshotter> = {}): Snapshotter {
  let taken = 0;
  return {
    name,
    asynchronous: false,
    init: async () => {},
    getVolumeId: async (volume) => `vol-${volume.metadata.name}`,
    setVolumeId: async (volume) => volume,
    getVolumeInfo: async () => ({ volumeType: "ssd" }),
    createSnapshot: async () => `snap-${++taken}`,
    deleteSnapshot: async () => {},
    createVolumeFromSnapshot: async ({ snapshotId }) => `from-${snapshotId}`,
    progress: async () => ({ completed: true }),
    cancel: async () => {},
    ...more,
  };
}
