import { forEachConcurrent, hasCode, messageOf, type Scope } from "@jibe/base";
import { unboundedSlot } from "../slots/slots.ts";
import type { BackupRun } from "./backup-run.ts";
import { backUpBlockItem } from "./process-block.ts";
import { fetchItem } from "./run-item.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const requestsAtOnce = 8;

/** Adds the definitions of the custom resources that have an item in the backup, unless the spec decides about definitions itself. */
export async function backUpDefinitions(types: Iterable<string>, run: BackupRun, scope: Scope): Promise<void> {
  const type = run.discovery.find(definitions);
  const { rules } = run.inclusion;
  if (!type || rules.includes(type) || rules.excludes(type)) return;
  const custom = [...types].filter((name) => name.includes(".") && name !== definitions);
  const each = async (name: string, inner: Scope) => {
    const item = await fetchItem({ groupResource: definitions, name }, run, inner).catch((error: unknown) => {
      inner.signal.throwIfAborted();
      if (!hasCode(error, "NotFound")) inner.log.error(`Error getting CRD ${name}`, { error: messageOf(error) });
    });
    if (item) await backUpBlockItem(item, run, unboundedSlot, inner);
  };
  await forEachConcurrent(custom, { limit: requestsAtOnce, each }, scope);
}
