import { parseLabelSelector, type Scope } from "@jibe/base";
import type { GrpcChannel, PluginProcess } from "@jibe/go-plugin";
import type { ResourceSelector } from "../contracts/index.ts";
import {
  type AnnouncedPlugin,
  objectFromBytes,
  remoteBackupItemActionV1,
  remoteBackupItemActionV2,
  remoteDeleteItemAction,
  remoteItemBlockAction,
  remoteRestoreItemActionV1,
  remoteRestoreItemActionV2,
} from "../wire/index.ts";
import { bigItem, sampleBackup, sampleItem, sampleRestore } from "./samples.ts";
import { answerOrExplain, check, must, type Subject } from "./subject.ts";

const operation = "verify-unknown-operation";

/** The parts of an action that all kinds share, in one form. */
interface AnyAction {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  /** Runs it on an item; the answered item, where there is one. */
  run(item: Uint8Array, scope: Scope): Promise<Uint8Array | undefined>;
  readonly progress?: (scope: Scope) => Promise<unknown>;
  readonly cancel?: (scope: Scope) => Promise<void>;
  readonly ready?: (scope: Scope) => Promise<boolean>;
}

/** The contract of an item action of any kind and version. */
export async function checkAction(subject: Subject, scope: Scope): Promise<void> {
  const { plugin } = subject;
  const checkIt = (name: string, work: (action: AnyAction, inner: Scope, process: PluginProcess) => Promise<void>) =>
    check(subject, name, scope, (process, inner) => work(actionOf(plugin, process.channel), inner, process));
  let selector: ResourceSelector = {};
  await checkIt("says what it applies to", async (action, inner) => {
    selector = await action.appliesTo(inner);
    if (selector.labelSelector) parseLabelSelector(selector.labelSelector);
  });
  await checkIt("answers with a whole item, or says why not", async (action, inner) => {
    const answer = await answerOrExplain(action.run(sampleItem(selector.includedResources), inner));
    if (answer) must(objectFromBytes(answer, "the answered item").kind !== undefined, "the answered item has no kind");
  });
  await checkIt("takes an item of 3 MiB", async (action, inner) => {
    await answerOrExplain(action.run(bigItem(), inner));
  });
  await checkIt("refuses an item that is no JSON", async (action, inner) => {
    const answer = await answerOrExplain(action.run(new TextEncoder().encode("{"), inner));
    must(answer === undefined, "it took the item for good");
  });
  await checkIt("survives a call that is canceled", async (action, inner, process) => {
    const cancelAfter = async (item: Uint8Array, arrived: () => Promise<void>) => {
      const stopping = new AbortController();
      const running = action.run(item, { ...inner, signal: stopping.signal }).catch(() => {}); // it may end before
      await arrived();
      stopping.abort(new Error("canceled by the check"));
      await running;
      for (let turn = 0; turn < 2; turn++) await process.checkHealth(inner); // a death of it may come after one more answer
    };
    await cancelAfter(bigItem(), async () => {});
    // Calls arrive in order: when a later one was answered, the plugin has begun this one.
    await cancelAfter(sampleItem(selector.includedResources), () => process.checkHealth(inner));
  });
  if (!plugin.kind.endsWith("V2")) return;
  await checkIt("answers about an operation it does not know", async ({ progress }, inner) => {
    if (progress) await answerOrExplain(progress(inner));
  });
  await checkIt("takes the cancelling of an operation it does not know", async ({ cancel }, inner) => {
    if (cancel) await answerOrExplain(cancel(inner));
  });
  if (plugin.kind !== "RestoreItemActionV2") return;
  await checkIt("says whether additional items are ready", async ({ ready }, inner) => {
    if (ready) await answerOrExplain(ready(inner));
  });
}

function actionOf({ kind, name }: AnnouncedPlugin, channel: GrpcChannel): AnyAction {
  const nothing = async (work: Promise<unknown>) => {
    await work;
    return undefined;
  };
  switch (kind) {
    case "BackupItemActionV2": {
      const action = remoteBackupItemActionV2(channel, name);
      return {
        appliesTo: action.appliesTo,
        run: async (item, scope) => (await action.execute(item, sampleBackup, scope)).item,
        progress: (scope) => action.progress(operation, sampleBackup, scope),
        cancel: (scope) => action.cancel(operation, sampleBackup, scope),
      };
    }
    case "RestoreItemActionV2": {
      const action = remoteRestoreItemActionV2(channel, name);
      return {
        appliesTo: action.appliesTo,
        run: async (item, scope) =>
          (await action.execute({ item, itemFromBackup: sampleItem(), restore: sampleRestore }, scope)).item,
        progress: (scope) => action.progress(operation, sampleRestore, scope),
        cancel: (scope) => action.cancel(operation, sampleRestore, scope),
        ready: (scope) => action.areAdditionalItemsReady([], sampleRestore, scope),
      };
    }
    case "RestoreItemAction": {
      const action = remoteRestoreItemActionV1(channel, name);
      return {
        appliesTo: action.appliesTo,
        run: async (item, scope) =>
          (await action.execute({ item, itemFromBackup: sampleItem(), restore: sampleRestore }, scope)).item,
      };
    }
    case "DeleteItemAction": {
      const action = remoteDeleteItemAction(channel, name);
      return {
        appliesTo: action.appliesTo,
        run: (item, scope) => nothing(action.execute(item, sampleBackup, scope)),
      };
    }
    case "ItemBlockAction": {
      const action = remoteItemBlockAction(channel, name);
      return {
        appliesTo: action.appliesTo,
        run: (item, scope) => nothing(action.getRelatedItems(item, sampleBackup, scope)),
      };
    }
    default: {
      const action = remoteBackupItemActionV1(channel, name);
      return {
        appliesTo: action.appliesTo,
        run: async (item, scope) => (await action.execute(item, sampleBackup, scope)).item,
      };
    }
  }
}
