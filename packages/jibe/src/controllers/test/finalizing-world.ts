import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Scope, systemClock } from "@jibe/base";
import type { BackupAction, ObjectStore, ResourceType, RunPlugins } from "@jibe/engine";
import { coreTypes, veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStorageLocation, Restore, VolumeSnapshotLocation } from "../../api/resources.ts";
import { openFilesystemStore } from "../../object-store/filesystem/filesystem-store.ts";
import { openFileScratch } from "../../scratch/file-scratch.ts";
import { Resources } from "../resources.ts";
import type { RunSurroundings } from "../run-surroundings.ts";
import { sandboxBackups } from "./sandbox-backups.ts";

/** A cluster and a store with what runs need that are being finalized. */
export interface FinalizingWorld extends AsyncDisposable {
  readonly backups: Resources<Backup>;
  readonly restores: Resources<Restore>;
  readonly store: ObjectStore;
  /** A server's surroundings with one action, on a store that may be made worse. */
  surroundings(parts?: { readonly action?: BackupAction; readonly store?: ObjectStore }): RunSurroundings;
  /** The text of a gzipped file of the store. */
  text(key: string): Promise<string>;
  bytes(key: string): Promise<Buffer>;
}

export async function finalizingWorld(scope: Scope): Promise<FinalizingWorld> {
  await using stack = new AsyncDisposableStack();
  const { cluster, backups, dir } = stack.use(await sandboxBackups(scope));
  const of = <T extends Backup>(type: ResourceType) => new Resources<T>(cluster, type, "velero");
  const restores = new Resources<Restore>(cluster, veleroTypes.restore, "velero");
  const locations = new Resources<BackupStorageLocation>(cluster, veleroTypes.backupStorageLocation, "velero");
  await mkdir(join(dir, "bucket"));
  const store = await openFilesystemStore({ root: dir, bucket: "bucket", prefix: "", location: "" });
  const location = { provider: "jibe.io/filesystem", objectStorage: { bucket: "bucket" } };
  const head = { apiVersion: "velero.io/v1", kind: "BackupStorageLocation", metadata: { name: "default" } };
  await locations.create({ ...head, spec: location }, scope);
  const item = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "changed" } };
  await new Resources(cluster, coreTypes.configMap, "velero").create(item, scope);
  const bytes = (key: string) => readFile(join(dir, "bucket", key));
  const owned = stack.move();
  return {
    backups,
    restores,
    store,
    bytes,
    text: async (key) => gunzipSync(await bytes(key)).toString(),
    surroundings: (parts = {}) => ({
      cluster,
      locations,
      snapshotLocations: of(veleroTypes.volumeSnapshotLocation) as unknown as Resources<VolumeSnapshotLocation>,
      stores: { open: async () => ({ ...(parts.store ?? store), [Symbol.asyncDispose]: async () => {} }) },
      snapshots: { open: async ({ metadata, spec }) => ({ name: metadata.name, provider: spec.provider, config: {} }) },
      openPlugins: async () => pluginsWith(parts.action),
      openScratch: (inner) => openFileScratch(dir, inner),
      clock: systemClock,
      newId: () => "id",
      holder: "test",
      parseYaml: () => undefined,
      onRestart: "rerun",
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function pluginsWith(action: BackupAction | undefined): RunPlugins & AsyncDisposable {
  return {
    backupActions: async () => (action ? [action] : []),
    restoreActions: async () => [],
    blockActions: async () => [],
    deleteActions: async () => [],
    snapshotter: async (provider) => {
      throw new Error(`no snapshotter ${provider}`);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Ends with the signal, as every call owes, and not before. */
export const hang = ({ signal }: Pick<Scope, "signal">) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
