import type { Scope } from "@jibe/base";
import type { VolumeSnapshotterV1 } from "../contracts/index.ts";
import { remoteVolumeSnapshotterV1, remoteVolumeSnapshotterV2 } from "../wire/index.ts";
import { samplePersistentVolume } from "./samples.ts";
import { answerOrExplain, check, must, type Subject } from "./subject.ts";

const unknown = "verify-unknown-snapshot";

/** The contract of a volume snapshotter, as far as it can be asked without making snapshots. */
export async function checkVolumeSnapshotter(subject: Subject, scope: Scope): Promise<void> {
  const { plugin, process, config } = subject;
  const v2 =
    plugin.kind === "VolumeSnapshotterV2" ? remoteVolumeSnapshotterV2(process.channel, plugin.name) : undefined;
  const snapshotter: VolumeSnapshotterV1 = v2 ?? remoteVolumeSnapshotterV1(process.channel, plugin.name);
  await check(subject, "takes a configuration, or says what is wrong with it", scope, async (inner) => {
    if (config) await snapshotter.init(config, inner);
    else await answerOrExplain(snapshotter.init({}, inner), process);
  });
  await check(subject, "says that a volume of another kind is not its own", scope, async (inner) => {
    const id = await answerOrExplain(snapshotter.getVolumeId(samplePersistentVolume, inner), process);
    must(!id, `it claims a volume without any driver as ${JSON.stringify(id)}`);
  });
  await check(subject, "sets the volume of a persistent volume, or says why not", scope, async (inner) => {
    const changed = await answerOrExplain(snapshotter.setVolumeId(samplePersistentVolume, "volume-1", inner), process);
    must(!changed || changed.kind === "PersistentVolume", "the answered object is no persistent volume");
  });
  if (!v2) return;
  await check(subject, "answers about a snapshot it does not know", scope, async (inner) => {
    await answerOrExplain(v2.progress(unknown, inner), process);
  });
  await check(subject, "takes the cancelling of a snapshot it does not know", scope, async (inner) => {
    await answerOrExplain(v2.cancel(unknown, inner), process);
  });
}
