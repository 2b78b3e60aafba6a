import type { Scope } from "@jibe/base";
import type { Backup } from "./backup.ts";
import type { KubernetesObject, ResourceSelector } from "./kubernetes-object.ts";

/** Runs on each matching item of a backup that is being deleted. */
export interface DeleteItemAction {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(item: KubernetesObject, backup: Backup, scope: Scope): Promise<void>;
}
