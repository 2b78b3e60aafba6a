import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  AppError,
  type KubernetesObject,
  operationDone,
  operationFailed,
  operationRunning,
  volumeSnapshotter,
} from "@jibe/plugin-sdk";

const driver = "folders.example.io";

/**
 * Volumes that are folders, snapshots that are copies of them. A snapshot is made step by step: each question about its
 * progress copies some more entries, so that no process has to stay for it.
 */
export function folderVolumes({ entriesAStep = 2 } = {}) {
  let root = "";
  const volumeDir = (id: string) => join(root, "volumes", id);
  const snapshotDir = (id: string) => join(root, "snapshots", id);
  const volumeOf = (snapshotId: string) => snapshotId.slice(0, snapshotId.lastIndexOf("@"));

  return volumeSnapshotter({
    init(config) {
      if (!config["root"]) throw new AppError("InvalidArgument", "the location's config must name a root folder");
      root = config["root"];
    },

    async createSnapshot({ volumeId, tags }, { log }) {
      await stat(volumeDir(volumeId)).catch((cause: unknown) => {
        throw new AppError("NotFound", `volume ${volumeId} not found`, { cause });
      });
      const id = `${volumeId}@${randomUUID()}`;
      await mkdir(snapshotDir(id), { recursive: true });
      log.info("snapshot started", { snapshot: id, tags });
      return id;
    },

    async progress(snapshotId) {
      const [source, target] = [volumeDir(volumeOf(snapshotId)), snapshotDir(snapshotId)];
      const entries = await readdir(source).catch(() => undefined);
      const copied = await readdir(target).catch(() => undefined);
      if (!entries || !copied) return operationFailed(`snapshot ${snapshotId} or its volume is gone`);
      const missing = entries.filter((entry) => !copied.includes(entry)).slice(0, entriesAStep);
      for (const entry of missing) await cp(join(source, entry), join(target, entry), { recursive: true });
      const { birthtime: started } = await stat(target);
      const nCompleted = copied.length + missing.length;
      const details = { started, updated: new Date(), nCompleted, nTotal: entries.length, operationUnits: "entries" };
      return nCompleted >= entries.length ? operationDone(details) : operationRunning(details);
    },

    cancel: (snapshotId) => rm(snapshotDir(snapshotId), { recursive: true, force: true }),

    deleteSnapshot: (snapshotId) => rm(snapshotDir(snapshotId), { recursive: true, force: true }),

    async createVolumeFromSnapshot({ snapshotId }) {
      const id = `volume-${randomUUID()}`;
      await cp(snapshotDir(snapshotId), volumeDir(id), { recursive: true });
      return id;
    },

    getVolumeInfo: () => ({ volumeType: "folder" }),

    getVolumeId: (volume) => (csiOf(volume)?.driver === driver ? (csiOf(volume)?.volumeHandle ?? "") : ""),

    setVolumeId: (volume, volumeId) => ({
      ...volume,
      spec: { ...(volume["spec"] as object), csi: { ...csiOf(volume), driver, volumeHandle: volumeId } },
    }),
  });
}

function csiOf(volume: KubernetesObject): { driver?: string; volumeHandle?: string } | undefined {
  return (volume["spec"] as { csi?: { driver?: string; volumeHandle?: string } } | undefined)?.csi;
}
