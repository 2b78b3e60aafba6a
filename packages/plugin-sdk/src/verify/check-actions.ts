import { parseLabelSelector, type Scope } from "@jibe/base";
import type { ResourceSelector } from "../contracts/index.ts";
import {
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
  const { process } = subject;
  const action = actionOf(subject);
  let selector: ResourceSelector = {};
  await check(subject, "says what it applies to", scope, async (inner) => {
    selector = await action.appliesTo(inner);
    if (selector.labelSelector) parseLabelSelector(selector.labelSelector);
  });
  await check(subject, "answers with a whole item, or says why not", scope, async (inner) => {
    const answer = await answerOrExplain(action.run(sampleItem(selector.includedResources), inner), process);
    if (answer) must(objectFromBytes(answer, "the answered item").kind !== undefined, "the answered item has no kind");
  });
  await check(subject, "takes an item of 3 MiB", scope, async (inner) => {
    await answerOrExplain(action.run(bigItem(), inner), process);
  });
  await check(subject, "refuses an item that is no JSON", scope, async (inner) => {
    const answer = await answerOrExplain(action.run(new TextEncoder().encode("{"), inner), process);
    must(answer === undefined, "it took the item for good");
  });
  await check(subject, "survives a call that is canceled", scope, async (inner) => {
    const stopping = new AbortController();
    const running = action.run(bigItem(), { ...inner, signal: stopping.signal });
    stopping.abort(new Error("canceled by the check"));
    await running.catch(() => {}); // how it ends is up to the race
    await process.checkHealth(inner);
  });
  await checkOperations(subject, action, scope);
}

async function checkOperations(subject: Subject, { progress, cancel, ready }: AnyAction, scope: Scope): Promise<void> {
  const { process } = subject;
  if (progress) {
    await check(subject, "answers about an operation it does not know", scope, async (inner) => {
      await answerOrExplain(progress(inner), process);
    });
  }
  if (cancel) {
    await check(subject, "takes the cancelling of an operation it does not know", scope, async (inner) => {
      await answerOrExplain(cancel(inner), process);
    });
  }
  if (ready) {
    await check(subject, "says whether additional items are ready", scope, async (inner) => {
      await answerOrExplain(ready(inner), process);
    });
  }
}

function actionOf({ plugin: { kind, name }, process: { channel } }: Subject): AnyAction {
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
          (await action.execute({ item, itemFromBackup: item, restore: sampleRestore }, scope)).item,
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
          (await action.execute({ item, itemFromBackup: item, restore: sampleRestore }, scope)).item,
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
