#!/usr/bin/env node
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import {
  backupItemAction,
  invalidOperationId,
  type KubernetesObject,
  type OperationProgress,
  operationDone,
  operationFailed,
  operationRunning,
  servePlugins,
  volumeSnapshotter,
} from "@jibe/plugin-sdk";

// Misbehaves as the label `chaos` of an item or volume says. What happened is noted in files.
const dir = process.env["HELD_DIR"] ?? "";
const note = (name: string) => writeFileSync(join(dir, `chaos-${name}`), "");
const forever = () => new Promise<never>(() => {});
const hugeBytes = 8 * 1024 * 1024;

/** How often this was asked so far, over all processes. */
function askedBefore(id: string): number {
  const file = join(dir, `chaos-asked-${id}`);
  const before = existsSync(file) ? readFileSync(file).length : 0;
  appendFileSync(file, ".");
  return before;
}

const executions: Readonly<Record<string, (item: KubernetesObject) => unknown>> = {
  "exits in execute": () => process.exit(3),
  "hangs in execute": forever,
  "answers garbage": () => ({ item: { nonsense: true } }),
  "is slow": async (item) => {
    await systemClock.sleep(1000, { signal: new AbortController().signal });
    return { item };
  },
  "is huge": (item) => ({ item: { ...item, data: { big: "x".repeat(hugeBytes) } } }),
};

const started = systemClock.now();
const running = (nCompleted: number) => operationRunning({ started, nCompleted, nTotal: 10 });
const progresses: Readonly<Record<string, (id: string) => OperationProgress | Promise<never>>> = {
  "exits in progress": (id) => (askedBefore(id) < 2 ? process.exit(4) : operationDone()),
  "hangs in progress": forever,
  "knows no such operation": (id) => {
    throw invalidOperationId(id);
  },
  "always answers an error": () => {
    throw new Error("boom");
  },
  "goes backwards": (id) => {
    const asked = askedBefore(id);
    return asked < 3 ? running(9 - 3 * asked) : operationDone({ nCompleted: 10, nTotal: 10 });
  },
  "fails at last": () => operationFailed("the disk broke"),
  "never ends": () => running(1),
  "never ends, and hangs in cancel": () => running(1),
};

const slug = (chaos: string) => chaos.replaceAll(/[^a-z]+/g, "-");
const chaosOf = ({ metadata }: KubernetesObject) =>
  [...Object.keys(executions), ...Object.keys(progresses)].find(
    (chaos) => slug(chaos) === metadata.labels?.["chaos"],
  ) ?? "";
const chaosOfId = (id: string) => Object.keys(progresses).find((chaos) => id.startsWith(`${slug(chaos)}.`)) ?? "";
const operation = {
  progress: (id: string) => (progresses[chaosOfId(id)] ?? (() => operationDone()))(id),
  cancel: (id: string) => {
    note(`canceled-${id}`);
    return chaosOfId(id).endsWith("hangs in cancel") ? forever() : undefined;
  },
};

await servePlugins({
  "example.io/chaos": backupItemAction({
    appliesTo: { includedResources: ["configmaps"], labelSelector: "chaos" },
    async execute(item, backup) {
      const chaos = chaosOf(item);
      if (chaos in executions) return (await executions[chaos]?.(item)) as { item: KubernetesObject };
      return { item, operationId: `${slug(chaos)}.${backup.metadata.name}` };
    },
    ...operation,
  }),
  "example.io/chaos-volumes": volumeSnapshotter({
    init: () => {},
    getVolumeId: ({ metadata }) => (metadata.labels?.["chaos"] ? `${metadata.labels["chaos"]}.${metadata.name}` : ""),
    setVolumeId: (volume) => volume,
    getVolumeInfo: () => ({ volumeType: "chaos" }),
    createSnapshot: ({ volumeId }) => volumeId,
    createVolumeFromSnapshot: ({ snapshotId }) => {
      note(`restored-${snapshotId}`);
      return snapshotId;
    },
    deleteSnapshot: (id) => note(`deleted-${id}`),
    ...operation,
  }),
});
