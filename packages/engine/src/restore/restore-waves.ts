import { messageOf, type Scope } from "@jibe/base";
import type { Slot } from "../slots/slots.ts";
import type { RestorePlan, RestoreWave, SelectedItems } from "./collect-restore.ts";
import type { RestoreProgress } from "./restore-progress.ts";
import type { RestoreRun } from "./restore-run.ts";

/** Items begun and not ended, waiting ones included: what waits costs memory too. */
const maxBegun = 10_000;

/** Namespaces that were seen to, by their name in the backup. */
export type HandledNamespaces = Set<string>;

/**
 * Restores the items of one wave side by side and waits for all of them. An item begins when there is a slot for it; items that wait for
 * something keep none, so that the others go on.
 */
export async function restoreWave(
  run: RestoreRun,
  { wave, progress, handled }: { wave: RestoreWave; progress: RestoreProgress; handled: HandledNamespaces },
  scope: Scope,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const start = (part: SelectedItems, name: string, slot: Slot) => {
    const { groupResource, namespace } = part;
    const planned = { groupResource, item: namespace === "" ? name : `${namespace}/${name}` };
    progress.begins(planned);
    const restoring =
      groupResource === "namespaces" && namespace === ""
        ? restoreNamespace(run, { name, handled, slot }, scope)
        : restorePlanned(run, { part, name, slot }, scope);
    const task = restoring
      .then(() => progress.processed(planned))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => running.delete(task));
    running.add(task);
  };
  try {
    for await (const part of readyParts(run, wave.parts, scope)) {
      for (const name of part.names) {
        if (running.size >= maxBegun) await Promise.race(running);
        await run.ledger.room(); // items that cost next to nothing could end faster than their lines are written
        const slot = await run.slots.take(scope);
        if (failure) slot.release();
        if (failure) throw (failure as { readonly error: unknown }).error;
        start(part, name, slot);
      }
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw (failure as { readonly error: unknown }).error;
}

/** The parts of a wave, those first whose namespace is there: a namespace that takes long holds up its own items alone. */
async function* readyParts(
  run: RestoreRun,
  parts: readonly SelectedItems[],
  scope: Scope,
): AsyncGenerator<SelectedItems> {
  const settling = new Map<SelectedItems, Promise<SelectedItems>>();
  for (const part of parts) {
    const target = run.filters.targetNamespace(part.namespace);
    if (target === "" || run.namespaces.isReady(target)) {
      yield part;
      continue;
    }
    const ensured = run.namespaces.ensure(part.namespace, target, scope);
    // A failure is no failure here: the items meet the same error, each for itself.
    settling.set(
      part,
      ensured.then(
        () => part,
        () => part,
      ),
    );
  }
  while (settling.size > 0) {
    const part = await Promise.race(settling.values());
    settling.delete(part);
    yield part;
  }
}

async function restorePlanned(
  run: RestoreRun,
  { part, name, slot }: { readonly part: SelectedItems; readonly name: string; readonly slot: Slot },
  scope: Scope,
): Promise<void> {
  const { groupResource, namespace, version } = part;
  const targetNamespace = run.filters.targetNamespace(namespace);
  const place = { groupResource, namespace, name, targetNamespace, ...(version === undefined ? {} : { version }) };
  await run.restoreItem(place, { slot }, scope);
}

/** Namespaces are only made sure of: no actions, no labels, and one that exists stays as it is. */
async function restoreNamespace(
  run: RestoreRun,
  { name, handled, slot }: { readonly name: string; readonly handled: HandledNamespaces; readonly slot: Slot },
  scope: Scope,
): Promise<void> {
  const target = run.filters.targetNamespace(name);
  const record = { resource: "namespaces", namespace: "", name: target };
  try {
    const outcome = await slot.without(() => run.namespaces.ensure(name, target, scope), scope);
    if (outcome === "existed") run.ledger.item({ ...record, outcome: "skipped", reason: "already exists" });
  } catch (error) {
    scope.signal.throwIfAborted();
    run.ledger.error({ message: messageOf(error) });
    run.ledger.item({ ...record, outcome: "failed", step: "namespace", cause: messageOf(error) });
  } finally {
    slot.release();
  }
  handled.add(name);
}

/** After an early end: gives every planned item that was not reached its outcome. */
export function recordNotReached(run: RestoreRun, plan: RestorePlan, handled: HandledNamespaces): void {
  for (const { groupResource, namespace, names } of plan.waves.flatMap(({ parts }) => parts)) {
    const target = run.filters.targetNamespace(namespace);
    for (const name of names) {
      const isNamespace = groupResource === "namespaces" && namespace === "";
      if (isNamespace ? handled.has(name) : run.items.find(groupResource, target, name)) continue;
      run.ledger.item({
        resource: groupResource,
        namespace: target,
        name,
        outcome: "skipped",
        reason: "the restore was canceled",
      });
    }
  }
}
