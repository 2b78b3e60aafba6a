import { AppError } from "@jibe/base";
import type { BackupOperation, RunPlugins, Snapshotter } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import type { Backup } from "../../api/resources.ts";
import { backupOperationPlugin } from "./backup-operation-plugin.ts";

const backup: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "daily" }, spec: {} };
const operation = (volumeSnapshotLocation?: string): BackupOperation => ({
  spec: {
    ...{ backupName: "daily", backupUID: "uid", backupItemAction: "example.io/disks", operationID: "snap-1" },
    resourceIdentifier: { Group: "", Resource: "persistentvolumes", Namespace: "", Name: "pv-1" },
    postOperationItems: null,
    ...(volumeSnapshotLocation ? { volumeSnapshotLocation } : {}),
  },
  status: { phase: "InProgress" },
});

/** The plugins of a process that has started nothing itself, and the calls they get. */
function freshPlugins() {
  const calls: string[] = [];
  const snapshotter = {
    init: async (config: unknown) => void calls.push(`init ${JSON.stringify(config)}`),
    progress: async (id: string) => {
      calls.push(`progress ${id}`);
      return { completed: false };
    },
    cancel: async (id: string) => void calls.push(`cancel ${id}`),
  } as unknown as Snapshotter;
  const plugins = {
    backupActions: async () => [],
    snapshotter: async (provider: string) => {
      calls.push(`open ${provider}`);
      return snapshotter;
    },
  } as unknown as RunPlugins;
  return { calls, plugins };
}

const snapshotLocation = async (name: string) => ({ name, provider: "example.io/disks", config: { secret: "file" } });

test("another process initialises the snapshotter of an operation's location, once, before it asks or cancels", async () => {
  using scope = testScope();
  const { calls, plugins } = freshPlugins();
  const plugin = backupOperationPlugin(backup, { plugins, snapshotLocation });
  await plugin.progress(operation("west"), scope);
  await plugin.cancel(operation("west"), scope);
  expect(calls).toEqual(["open example.io/disks", 'init {"secret":"file"}', "progress snap-1", "cancel snap-1"]);
});

test("a location that cannot be opened for now is opened anew with the next question", async () => {
  using scope = testScope();
  const { calls, plugins } = freshPlugins();
  let tries = 0;
  const flaky = async (name: string) => {
    if (++tries === 1) throw new AppError("Unavailable", "the API server is away");
    return snapshotLocation(name);
  };
  const plugin = backupOperationPlugin(backup, { plugins, snapshotLocation: flaky });
  await expect(plugin.progress(operation("west"), scope)).rejects.toThrow("away");
  await plugin.progress(operation("west"), scope);
  expect(calls.at(-1)).toBe("progress snap-1");
});

test("an operation whose action is not installed any more is lost", async () => {
  using scope = testScope();
  const plugin = backupOperationPlugin(backup, { plugins: freshPlugins().plugins, snapshotLocation });
  await expect(plugin.progress(operation(), scope)).rejects.toMatchObject({ code: "Unsupported" });
});
