import { gunzipSync } from "node:zlib";
import type { LogLine } from "@jibe/base";
import type { Backup, BackupSpec, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { type Archive, openArchive } from "../src/archive/index.ts";
import type { BackupOptions, BackupPorts, BackupResult, BackupStatusPatch } from "../src/backup/backup-request.ts";
import { runBackup } from "../src/backup/run-backup.ts";
import { backupKeys } from "../src/layout/object-keys.ts";
import type { ItemRecord } from "../src/ledger/ledger.ts";
import type { RunResults } from "../src/ledger/run-results.ts";
import type { ResourcePolicies } from "../src/policies/resource-policies.ts";
import type { RunPlugins } from "../src/ports/plugins.ts";
import type { RunEvent } from "../src/ports/run-events.ts";
import { backup as backupOf } from "./builders.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { type MemoryCluster, memoryCluster } from "./memory-cluster.ts";
import { memoryPlugins } from "./memory-plugins.ts";
import { type MemoryScratch, memoryScratch } from "./memory-scratch.ts";
import { type MemoryStore, memoryStore } from "./memory-store.ts";

export interface BackupSetup {
  readonly objects?: readonly KubernetesObject[];
  readonly cluster?: MemoryCluster;
  readonly spec?: BackupSpec;
  readonly backup?: Backup;
  readonly plugins?: RunPlugins;
  readonly policies?: ResourcePolicies;
  readonly options?: BackupOptions;
  readonly store?: MemoryStore;
  readonly scratch?: MemoryScratch;
  readonly clock?: ManualClock;
  readonly ports?: Partial<BackupPorts>;
}

/** A finished run and everything it left behind. */
export interface BackupOutcome {
  readonly result: BackupResult;
  readonly store: MemoryStore;
  readonly cluster: MemoryCluster;
  readonly patches: readonly BackupStatusPatch[];
  readonly events: readonly RunEvent[];
  readonly log: readonly LogLine[];
  /** Items in the archive: `pods shop/web`, sorted. */
  paths(): Promise<string[]>;
  item(groupResource: string, name: string, namespace?: string): Promise<KubernetesObject>;
  json<T = unknown>(key: keyof ReturnType<typeof backupKeys>): T;
  text(key: keyof ReturnType<typeof backupKeys>): string;
  ledger(): (ItemRecord & { readonly level?: string; readonly message?: string })[];
  results(): RunResults;
}

/** Runs a backup on memory and gives what came of it. */
export async function backUp(setup: BackupSetup = {}): Promise<BackupOutcome> {
  using scope = testScope();
  const {
    cluster = memoryCluster({ objects: setup.objects ?? [] }),
    store = memoryStore(),
    scratch = memoryScratch(),
    clock = manualClock(),
    plugins = memoryPlugins(),
  } = setup;
  const backup = setup.backup ?? backupOf("b1", setup.spec);
  const patches: BackupStatusPatch[] = [];
  const events: RunEvent[] = [];
  const ports: BackupPorts = {
    cluster,
    plugins,
    store,
    scratch,
    clock,
    newId: () => "id",
    snapshotLocations: [],
    patchStatus: async (patch) => void patches.push(patch),
    onEvent: (event) => events.push(event),
    ...setup.ports,
  };
  const { policies, options = {} } = setup;
  const result = await runBackup({ backup, policies, options }, ports, scope);
  if (scratch.open.size > 0) throw new Error(`scratch files left open: ${[...scratch.open].join(", ")}`);
  const keys = backupKeys(backup.metadata.name);
  const bytes = (key: keyof typeof keys) => {
    const found = store.objects.get(keys[key]);
    if (!found) throw new Error(`no object ${keys[key]}`);
    return keys[key].endsWith(".gz") ? gunzipSync(found) : Buffer.from(found);
  };
  const text = (key: keyof typeof keys) => bytes(key).toString("utf8");
  return {
    result,
    store,
    cluster,
    patches,
    events,
    log: scope.lines,
    paths: () => withArchive(store, keys.contents, async (archive) => [...itemsOf(archive)].sort()),
    item: (groupResource, name, namespace = "") =>
      withArchive(store, keys.contents, async (archive) => {
        using reading = testScope();
        return (await archive.read({ groupResource, namespace, name }, reading)).object;
      }),
    json: <T>(key: keyof typeof keys) => JSON.parse(text(key)) as T,
    text,
    ledger: () =>
      text("ledger")
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    results: () => JSON.parse(text("results")) as RunResults,
  };
}

async function withArchive<T>(store: MemoryStore, key: string, read: (archive: Archive) => Promise<T>): Promise<T> {
  using scope = testScope();
  await using archive = await openArchive(store.get(key, scope), { scratch: memoryScratch() }, scope);
  return await read(archive);
}

function* itemsOf(archive: Archive): Generator<string> {
  for (const groupResource of archive.groupResources()) {
    for (const namespace of archive.namespaces(groupResource)) {
      for (const name of archive.names(groupResource, namespace)) {
        yield `${groupResource} ${namespace === "" ? name : `${namespace}/${name}`}`;
      }
    }
  }
}
