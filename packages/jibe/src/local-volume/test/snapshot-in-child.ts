import { silentLogger, systemClock } from "@jibe/base";
import { processMarks } from "../../scratch/process-mark.ts";
import { localVolumeSnapshotter } from "../local-volume-snapshotter.ts";
import { SnapshotCopies } from "../snapshot-copies.ts";

// Starts a snapshot, prints its ID and goes on until it is killed.
const [root = "", volumeId = ""] = process.argv.slice(2);
const scope = { signal: new AbortController().signal, log: silentLogger };
const snapshotter = localVolumeSnapshotter({
  copies: new SnapshotCopies(systemClock),
  processes: await processMarks(),
  clock: systemClock,
});
await snapshotter.init({ root, parallelFiles: "1" }, scope);
process.stdout.write(`${await snapshotter.createSnapshot({ volumeId, volumeAZ: "", tags: {} }, scope)}\n`);
await systemClock.sleep(600_000, scope);
