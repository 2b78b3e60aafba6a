#!/usr/bin/env node
import { backupItemAction, invalidOperationId, restoreItemAction, servePlugins } from "@jibe/plugin-sdk";

const exportMs = 2500;
const readyMs = 1500;

/** Exports a database in the background: the operation's ID says when it began, so any process can tell how far it is. */
const exportDatabase = backupItemAction({
  appliesTo: { includedResources: ["statefulsets.apps"], labelSelector: "app=shop" },
  execute(database, backup, scope) {
    // Once the operations have ended, items to update are taken again; then nothing new may be started.
    if (backup.status?.phase?.startsWith("Finalizing")) {
      const annotations = { ...database.metadata.annotations, "shop.example.io/exported": "true" };
      return { item: { ...database, metadata: { ...database.metadata, annotations } } };
    }
    const operationId = `export-${Math.round(performance.timeOrigin + performance.now())}`;
    scope.log.info("database export started", { operation: operationId });
    const { namespace = "", name } = database.metadata;
    return { item: database, operationId, itemsToUpdate: [{ groupResource: "statefulsets.apps", namespace, name }] };
  },
  progress(operationId) {
    const began = Number(operationId.replace("export-", ""));
    if (Number.isNaN(began)) throw invalidOperationId(operationId);
    const now = performance.timeOrigin + performance.now();
    const share = Math.min(1, (now - began) / exportMs);
    return {
      completed: share === 1,
      nCompleted: Math.round(share * 100),
      nTotal: 100,
      operationUnits: "rows",
      description: share === 1 ? "exported" : "exporting",
      started: new Date(began),
      updated: new Date(now),
    };
  },
  cancel() {},
});

/** Holds the shop's front end back until its settings are in place. */
const settingsFirst = restoreItemAction({
  appliesTo: { includedResources: ["deployments.apps"], labelSelector: "app=shop" },
  execute({ item }) {
    const { namespace = "" } = item.metadata;
    return {
      item,
      additionalItems: [{ groupResource: "configmaps", namespace, name: "shop-settings" }],
      waitForAdditionalItems: true,
    };
  },
  areAdditionalItemsReady(_items, restore) {
    const began = Date.parse(restore.status?.startTimestamp ?? "");
    return Number.isNaN(began) || performance.timeOrigin + performance.now() - began >= readyMs;
  },
});

await servePlugins({
  "shop.example.io/export-database": exportDatabase,
  "shop.example.io/settings-first": settingsFirst,
});
