import { gunzipSync, gzipSync } from "node:zlib";
import { type Clock, type Scope, systemClock } from "@jibe/base";
import type { Backup, KubernetesObject, Restore, RestoreSpec, RestoreStatus } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { TarGzWriter } from "../src/archive/archive-writer.ts";
import { backupKeys, restoreKeys } from "../src/layout/object-keys.ts";
import type { ResourceModifiers } from "../src/modifiers/parse-modifiers.ts";
import { groupResourceOf, type ResourceType } from "../src/ports/cluster.ts";
import type { RestoreAction, Snapshotter } from "../src/ports/plugins.ts";
import type { RunEvent } from "../src/ports/run-events.ts";
import type { RestorePorts, RestoreRequest, RestoreResult, RestoreSettings } from "../src/restore/restore-request.ts";
import { runRestore } from "../src/restore/run-restore.ts";
import { backup as makeBackup } from "./builders.ts";
import { type MemoryCluster, type MemoryClusterOptions, memoryCluster } from "./memory-cluster.ts";
import { memoryPlugins } from "./memory-plugins.ts";
import { memoryScratch } from "./memory-scratch.ts";
import { type MemoryStore, memoryStore } from "./memory-store.ts";
import { commonTypes, typeKey } from "./memory-types.ts";

export interface WorldOptions extends Omit<MemoryClusterOptions, "objects"> {
  /** What the backup holds. */
  readonly backedUp?: readonly KubernetesObject[];
  /** More entries of the archive, by path. */
  readonly entries?: Readonly<Record<string, string>>;
  /** The archive itself, instead of one made from the above. */
  readonly archive?: Uint8Array;
  /** Types of the source cluster, where the target serves others. */
  readonly sourceTypes?: readonly ResourceType[];
  /** What is in the target already. */
  readonly objects?: readonly KubernetesObject[];
  readonly actions?: readonly RestoreAction[];
  readonly snapshotters?: Readonly<Record<string, Snapshotter>>;
  readonly spec?: RestoreSpec;
  readonly status?: RestoreStatus;
  readonly backup?: Backup;
  readonly settings?: Partial<RestoreSettings>;
  readonly modifiers?: ResourceModifiers;
  readonly clock?: Clock;
  readonly cancel?: AbortSignal;
  /** Side files of the backup, by suffix: `volumeInfo`, `volumeSnapshots`, … */
  readonly files?: Partial<Record<keyof ReturnType<typeof backupKeys>, unknown>>;
  readonly store?: MemoryStore;
  readonly cluster?: MemoryCluster;
}

export interface RestoreWorld {
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly request: RestoreRequest;
  readonly ports: RestorePorts;
  readonly statuses: RestoreStatus[];
  readonly events: RunEvent[];
  readonly scratch: ReturnType<typeof memoryScratch>;
  run(): Promise<RestoreResult>;
  /** A side file of the restore, unpacked. */
  file(name: keyof ReturnType<typeof restoreKeys>): string;
  /** The restore's ledger as `resource namespace/name outcome reason`. */
  ledger(): string[];
}

/** A status leaves out counts that are zero; tests read better with them. */
const noCounts: RestoreStatus = { warnings: 0, errors: 0 };

/** A backup in a store, a target cluster and a restore of one into the other. */
export async function restoreWorld(options: WorldOptions, scope: Scope): Promise<RestoreWorld> {
  const scratch = memoryScratch();
  const store = options.store ?? memoryStore();
  const cluster = options.cluster ?? memoryCluster(options);
  const backup = options.backup ?? { ...makeBackup("b1"), status: { formatVersion: "1.1.0" } };
  const keys = backupKeys(backup.metadata.name);
  store.objects.set(keys.contents, options.archive ?? (await archiveOf(options, scratch, scope)));
  for (const [name, content] of Object.entries(options.files ?? {})) {
    store.objects.set(keys[name as keyof typeof keys], gzipSync(JSON.stringify(content)));
  }
  const statuses: RestoreStatus[] = [];
  const events: RunEvent[] = [];
  const ports: RestorePorts = {
    cluster,
    plugins: memoryPlugins({ restore: options.actions ?? [], snapshotters: options.snapshotters ?? {} }),
    store,
    scratch,
    clock: options.clock ?? systemClock,
    patchStatus: async (status) => void statuses.push(status),
    snapshotLocation: async (name) => ({ provider: "test", config: { location: name } }),
    onEvent: (event) => events.push(event),
  };
  const restore: Restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "r1", namespace: "velero", uid: "uid-of-r1" },
    spec: { backupName: backup.metadata.name, ...options.spec },
    status: { startTimestamp: "2026-03-01T00:00:00Z", ...options.status },
  };
  const request: RestoreRequest = {
    restore,
    backup,
    settings: { concurrency: 8, ...options.settings },
    ...(options.modifiers ? { modifiers: options.modifiers } : {}),
    ...(options.cancel ? { cancel: options.cancel } : {}),
  };
  const file = (name: keyof ReturnType<typeof restoreKeys>) =>
    gunzipSync(store.objects.get(restoreKeys("r1")[name]) ?? gzipSync("")).toString();
  return {
    cluster,
    store,
    request,
    ports,
    statuses,
    events,
    scratch,
    file,
    async run() {
      const result = await runRestore(request, ports, scope);
      return { ...result, status: { ...noCounts, ...result.status } };
    },
    ledger: () =>
      file("ledger")
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, string>)
        .filter(({ outcome }) => outcome !== undefined)
        .map(({ resource, namespace, name, outcome, reason, cause }) =>
          [resource, namespace ? `${namespace}/${name}` : name, outcome, reason ?? cause].filter(Boolean).join(" "),
        )
        .sort(),
  };
}

/** Runs the restore of a world of its own; what it came to stands beside what it left. */
export async function runInWorld(options: WorldOptions): Promise<RestoreWorld & RestoreResult> {
  using scope = testScope();
  const world = await restoreWorld(options, scope);
  return { ...world, ...(await world.run()) };
}

async function archiveOf(
  { backedUp = [], entries = {}, sourceTypes, types = commonTypes }: WorldOptions,
  scratch: ReturnType<typeof memoryScratch>,
  scope: Scope,
): Promise<Uint8Array> {
  await using sink = await scratch.create("archive of the test", scope);
  const writer = new TarGzWriter({ sink, clock: systemClock }, scope);
  const encoder = new TextEncoder();
  for (const object of backedUp) {
    const type = (sourceTypes ?? types).find(
      (candidate) => typeKey(candidate) === `${object.apiVersion}/${object.kind}`,
    );
    if (!type) throw new Error(`no type for ${object.apiVersion}/${object.kind}`);
    const { namespace = "", name } = object.metadata;
    const place = { groupResource: groupResourceOf(type), version: type.version, preferred: true, namespace, name };
    await writer.writeItem({ ...place, parts: [encoder.encode(JSON.stringify(object))] });
  }
  for (const [path, content] of Object.entries(entries)) {
    await writer.writeFile({ path, bytes: encoder.encode(content) });
  }
  await writer.finish();
  const chunks: Uint8Array[] = [];
  for await (const chunk of sink.stream(scope)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
