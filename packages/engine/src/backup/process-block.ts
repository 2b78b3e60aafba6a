import { messageOf, type Scope } from "@jibe/base";
import type { Slot } from "../slots/slots.ts";
import { backUpItem } from "./back-up-item.ts";
import type { BackupRun } from "./backup-run.ts";
import type { ItemBlock } from "./build-blocks.ts";
import type { RunItem } from "./run-item.ts";

/** Backs up a block: pre hooks of its pods, the items in order, post hooks of the pods whose pre hooks went well. */
export async function processBlock({ items }: ItemBlock, run: BackupRun, slot: Slot, scope: Scope): Promise<void> {
  const pods = items.filter((item) => item.groupResource === "pods" && !run.items.has(item));
  const hooked: RunItem[] = [];
  for (const pod of pods) {
    if (await runPreHooks(pod, run, scope)) hooked.push(pod);
  }
  for (const item of items) await backUpBlockItem(item, run, slot, scope);
  for (const pod of hooked) await runPostHooks(pod, run, scope);
}

/** A pod whose pre hook failed and must not be backed up counts as done, so that nobody else brings it in. */
async function runPreHooks(pod: RunItem, run: BackupRun, scope: Scope): Promise<boolean> {
  const { object } = await pod.body(scope);
  const error = await run.hooks.run(object, "pre", scope);
  if (error === undefined) return true;
  const text = messageOf(error);
  scope.log.error("Error running pre hooks for pod", { name: pod.name, error: text });
  if (run.account.enter(pod, pod)) run.account.failed(pod, [{ step: "hook", text }]);
  return false;
}

async function runPostHooks(pod: RunItem, run: BackupRun, scope: Scope): Promise<void> {
  const { object } = await pod.body(scope);
  const error = await run.hooks.run(object, "post", scope);
  if (error !== undefined) {
    scope.log.error("Error running post hooks for pod", { name: pod.name, error: messageOf(error) });
  }
}

/** Logs an item's failures one by one, as Velero counts them: the name is all that its results say of the item. */
export async function backUpBlockItem(item: RunItem, run: BackupRun, slot: Slot, scope: Scope): Promise<void> {
  const result = await backUpItem(item, run, { slot }, scope);
  if (result.kind === "stored" || result.kind === "present") run.onType(item.groupResource);
  if (result.kind !== "failed") return;
  const { name, groupResource, namespace } = item;
  for (const { step, plugin, text } of result.failures) {
    const item = `${groupResource} ${namespace === "" ? name : `${namespace}/${name}`}`;
    scope.log.error("Error backing up item", { name, error: text, item, step, ...(plugin ? { plugin } : {}) });
  }
}
