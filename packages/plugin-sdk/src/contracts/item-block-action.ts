import type { Scope } from "@jibe/base";
import type { Backup } from "./backup.ts";
import type { KubernetesObject, ResourceIdentifier, ResourceSelector } from "./kubernetes-object.ts";

/** Names the items that must be backed up in one block with an item, so that hooks cover them together. */
export interface ItemBlockAction {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  getRelatedItems(item: KubernetesObject, backup: Backup, scope: Scope): Promise<readonly ResourceIdentifier[]>;
}
