import { AppError, type Scope } from "@jibe/base";
import type { CollectedItem } from "../collect/collected-item.ts";
import { type CollectedType, preferredType } from "../collect/types-to-collect.ts";
import type { ItemBody } from "../item/item-body.ts";
import type { BackupAction } from "../ports/plugins.ts";
import type { BackupRun } from "./backup-run.ts";
import type { AccountedItem } from "./item-account.ts";

/** An item whose turn may come: collected, or fetched because another item asked for it. */
export interface RunItem extends AccountedItem {
  readonly of: CollectedType;
  readonly actions: readonly BackupAction[];
  /** Whether it was selected by the spec; then it has passed the inclusion checks. */
  readonly collected: boolean;
  /** Read once; kept for whoever asks again while the item is at hand. */
  body(scope: Scope): Promise<ItemBody>;
}

export function runItemFromCollected(item: CollectedItem, run: BackupRun): RunItem {
  let body: Promise<ItemBody> | undefined;
  return {
    of: item.of,
    groupResource: item.of.groupResource,
    resourceKey: item.of.resourceKey,
    namespace: item.namespace,
    name: item.name,
    actions: item.actions,
    collected: true,
    body(scope) {
      body ??= run.spool.read(item, scope);
      return body;
    },
  };
}

/** An item that was read from the cluster. Fails with `DataLoss` when it is no Kubernetes object. */
export function runItemFromBody(of: CollectedType, body: ItemBody, run: BackupRun): RunItem {
  const { name, namespace = "", labels = {} } = body.object.metadata;
  const { groupResource, resourceKey } = of;
  return {
    of,
    groupResource,
    resourceKey,
    namespace,
    name,
    actions: run.actions.for({ groupResource, namespace, labels }),
    collected: false,
    body: async () => body,
  };
}

/** Reads an item from the cluster in its preferred version. */
export async function fetchItem(
  { groupResource, namespace = "", name }: { groupResource: string; namespace?: string; name: string },
  run: BackupRun,
  scope: Scope,
): Promise<RunItem> {
  const of = preferredType(run.discovery, groupResource);
  if (!of) throw new AppError("InvalidArgument", `the cluster has no resource type ${JSON.stringify(groupResource)}`);
  const place = of.type.namespaced && namespace !== "" ? { namespace, name } : { name };
  return runItemFromBody(of, await run.cluster.get(of.type, place, scope), run);
}
