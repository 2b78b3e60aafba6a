import type { Scope } from "@jibe/base";
import type { VolumeSnapshotterV1 } from "../contracts/index.ts";
import { remoteVolumeSnapshotterV1, remoteVolumeSnapshotterV2 } from "../wire/index.ts";
import { samplePersistentVolume } from "./samples.ts";
import { answerOrExplain, check, must, type Subject } from "./subject.ts";

const unknown = "verify-unknown-snapshot";

/** The contract of a volume snapshotter, as far as it can be asked without making snapshots. */
export async function checkVolumeSnapshotter(subject: Subject, scope: Scope): Promise<void> {
  const { plugin, config } = subject;
  const isV2 = plugin.kind === "VolumeSnapshotterV2";
  const remote = isV2 ? remoteVolumeSnapshotterV2 : remoteVolumeSnapshotterV1;
  const checkIt = (name: string, work: (snapshotter: VolumeSnapshotterV1, inner: Scope) => Promise<void>) =>
    check(subject, name, scope, ({ channel }, inner) => work(remote(channel, plugin.name), inner));
  await checkIt("takes a configuration, or says what is wrong with it", async (snapshotter, inner) => {
    if (config) await snapshotter.init(config, inner);
    else await answerOrExplain(snapshotter.init({}, inner));
  });
  await checkIt("says that a volume of another kind is not its own", async (snapshotter, inner) => {
    const id = await answerOrExplain(snapshotter.getVolumeId(samplePersistentVolume, inner));
    must(!id, `it claims a volume without any driver as ${JSON.stringify(id)}`);
  });
  await checkIt("sets the volume of a persistent volume, or says why not", async (snapshotter, inner) => {
    const changed = await answerOrExplain(snapshotter.setVolumeId(samplePersistentVolume, "volume-1", inner));
    must(!changed || changed.kind === "PersistentVolume", "the answered object is no persistent volume");
  });
  if (!isV2) return;
  await check(subject, "answers about a snapshot it does not know", scope, async ({ channel }, inner) => {
    await answerOrExplain(remoteVolumeSnapshotterV2(channel, plugin.name).progress(unknown, inner));
  });
  await check(subject, "takes the cancelling of a snapshot it does not know", scope, async ({ channel }, inner) => {
    await answerOrExplain(remoteVolumeSnapshotterV2(channel, plugin.name).cancel(unknown, inner));
  });
}
