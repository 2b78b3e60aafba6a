import type { Scope } from "@jibe/base";
import type {
  BackupItemActionV1,
  BackupItemActionV2,
  DeleteItemAction,
  ItemBlockAction,
  ObjectStore,
  PluginKind,
  ResourceSelector,
  RestoreItemActionV1,
  RestoreItemActionV2,
  VolumeSnapshotterV1,
  VolumeSnapshotterV2,
} from "./contracts/index.ts";

/** What a plugin of each kind must be able to do. */
export interface PluginContracts {
  readonly ObjectStore: ObjectStore;
  readonly VolumeSnapshotter: VolumeSnapshotterV1;
  readonly VolumeSnapshotterV2: VolumeSnapshotterV2;
  readonly BackupItemAction: BackupItemActionV1;
  readonly BackupItemActionV2: BackupItemActionV2;
  readonly RestoreItemAction: RestoreItemActionV1;
  readonly RestoreItemActionV2: RestoreItemActionV2;
  readonly DeleteItemAction: DeleteItemAction;
  readonly ItemBlockAction: ItemBlockAction;
}

/** A plugin ready to be served: made by `backupItemAction` and its sisters. */
export type Plugin = { [K in PluginKind]: { readonly kind: K; readonly contract: PluginContracts[K] } }[PluginKind];

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** Which items an action wants: a selector, or a function that finds out. */
export type AppliesTo = ResourceSelector | ((scope: Scope) => Awaitable<ResourceSelector>);

/** One form for both ways to say it. */
export function appliesToFunction(appliesTo: AppliesTo = {}): (scope: Scope) => Promise<ResourceSelector> {
  return async (scope) => (typeof appliesTo === "function" ? await appliesTo(scope) : appliesTo);
}
