import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import { silentLogger } from "@jibe/base";
import { backupKeys, openArchive, restoreKeys } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { MemoryCluster } from "../../packages/engine/test/memory-cluster.ts";
import { memoryScratch } from "../../packages/engine/test/memory-scratch.ts";
import type { MemoryStore } from "../../packages/engine/test/memory-store.ts";
import { doneAnnotation, type Provider, type ProviderWork } from "./provider.ts";
import { backupName, restoreName, serverNamespace, sourceNamespace, targetNamespace } from "./simulated-world.ts";

/** What is left after a run. */
export interface Aftermath {
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly provider: Provider;
  readonly created: ReadonlyMap<string, number>;
  /** Servers that were killed or lost their lease, and when. */
  readonly losses: readonly { readonly name: string; readonly ms: number }[];
  /** When a server's saving of what it had started met a fault, and came late or not at all. */
  readonly troubledSaves: readonly { readonly server: string; readonly ms: number }[];
}

/** What a server saves only every second, or had just begun to write, may be lost with it. */
const graceMs = 5000;

/** A save that meets trouble holds up the next one for as long. */
const slowSaveMs = 20_000;

type Status = Readonly<Record<string, unknown>>;
interface LedgerLine {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly outcome?: string;
}

/** Everything that must hold once all runs have ended; gives what does not. */
export async function checkWorld(aftermath: Aftermath): Promise<string[]> {
  const { cluster } = aftermath;
  const backup = statusOf(cluster.read("backups.velero.io", backupName, serverNamespace));
  const restore = statusOf(cluster.read("restores.velero.io", restoreName, serverNamespace));
  const archived = await archivedItems(aftermath.store, backupKeys(backupName).contents);
  return [
    ...checkWork(aftermath),
    ...checkLedger(aftermath.store, backupKeys(backupName).ledger),
    ...checkLedger(aftermath.store, restoreKeys(restoreName).ledger),
    ...checkBackup(aftermath, backup, archived),
    ...(restore ? checkRestore(aftermath, restore, archived) : []),
    ...checkCreatedOnce(aftermath),
  ];
}

/** Nothing that a server knew of for long enough is left running or lying about. */
function checkWork({ provider, losses, troubledSaves, store }: Aftermath): string[] {
  const isExcused = ({ startedBy, startedMs, isKnown, state }: ProviderWork) => {
    const loss = losses.find(({ name }) => name === startedBy);
    const isTroubled = troubledSaves.some(({ server, ms }) => server === startedBy && ms >= startedMs - slowSaveMs);
    const isLost = loss !== undefined && (loss.ms - startedMs < graceMs || isTroubled);
    // A snapshot that is complete needs no stopping, only its line in a file that could not be written.
    return !isKnown || isLost || (isTroubled && state === "completed");
  };
  const kept = new Map(snapshotsOf(store).map(({ status }) => [status.providerSnapshotID, status.phase]));
  return [...provider.work.values()].flatMap((work) => {
    if (isExcused(work)) return [];
    const what = `${work.kind} ${work.id} of ${work.subject}`;
    if (work.state === "running" && !work.isCancelAsked && !work.isDeleteAsked) return [`left running: ${what}`];
    const isWanted = kept.has(work.id);
    const isGone = work.isDeleted || work.isDeleteAsked;
    if (work.kind === "snapshot" && !isWanted && !isGone) return [`snapshot left behind: ${what} (${work.state})`];
    if (work.isDeleted && kept.get(work.id) === "Completed")
      return [`snapshot of a stored backup was deleted: ${what}`];
    return [];
  });
}

function checkLedger(store: MemoryStore, key: string): string[] {
  const outcomes = new Map<string, number>();
  for (const line of ledgerOf(store, key)) outcomes.set(placeOf(line), (outcomes.get(placeOf(line)) ?? 0) + 1);
  return [...outcomes]
    .filter(([, count]) => count > 1)
    .map(([place, count]) => `${count} outcomes in ${key}: ${place}`);
}

function checkBackup({ store, cluster }: Aftermath, status: Status | undefined, archived: Archived): string[] {
  const keys = backupKeys(backupName);
  const phase = status?.["phase"];
  const found: string[] = [];
  const stored = store.objects.get(keys.metadata);
  const isUsable = phase === "Completed" || phase === "PartiallyFailed";
  if (isUsable && !stored) return [`${phase} without a stored backup`];
  if (stored) {
    const copy = (JSON.parse(Buffer.from(stored).toString()) as { status?: Status }).status;
    found.push(...differences("the stored backup", copy ?? {}, status ?? {}, comparedKeys));
  }
  if (!isUsable) return found;
  found.push(...checkCounts("backup", { store, keys, status: status ?? {} }));
  if (archived.size === 0) found.push(`${phase} without an archive`);
  for (const line of ledgerOf(store, keys.ledger)) {
    const isArchived = archived.has(placeOf(line));
    if (line.outcome === "stored" && !isArchived) found.push(`acknowledged but not archived: ${placeOf(line)}`);
  }
  if (phase === "Completed") {
    for (const place of expectedItems) if (!archived.has(place)) found.push(`Completed without ${place}`);
    for (const { spec, status: operation } of operationsOf(store, keys.itemOperations)) {
      const { Resource, Namespace, Name } = spec.resourceIdentifier;
      if (Resource !== "configmaps" || operation.phase !== "Completed") continue;
      const done = archived.get(`configmaps ${Namespace}/${Name}`)?.metadata.annotations?.[doneAnnotation];
      const now = cluster.read("configmaps", Name, Namespace)?.metadata.annotations?.[doneAnnotation];
      if (done === undefined || now === undefined) found.push(`Completed without the update of ${Name}: ${done}`);
    }
  }
  for (const { spec, status: snapshot } of snapshotsOf(store)) {
    if (snapshot.phase === "New") found.push(`snapshot of ${spec.persistentVolumeName} still New in a ${phase} backup`);
  }
  return found;
}

function checkRestore({ store, cluster }: Aftermath, status: Status, archived: Archived): string[] {
  const keys = restoreKeys(restoreName);
  const { phase } = status;
  const found: string[] = [];
  const isUsable = phase === "Completed" || phase === "PartiallyFailed";
  if (isUsable) found.push(...checkCounts("restore", { store, keys, status }));
  for (const line of ledgerOf(store, keys.ledger)) {
    const { resource, namespace, name, outcome } = line;
    if (outcome !== "created" && outcome !== "updated" && outcome !== "unchanged") continue;
    if (resource.startsWith("persistentvolumes")) continue; // a volume may get a new name
    if (!cluster.read(resource, name, namespace)) found.push(`acknowledged but not restored: ${placeOf(line)}`);
  }
  if (phase !== "Completed") return found;
  for (const [place, { kind, metadata, ...content }] of archived) {
    if (kind !== "ConfigMap" && kind !== "Secret") continue;
    const restored = cluster.read(`${kind.toLowerCase()}s`, metadata.name, targetNamespace);
    if (!isDeepStrictEqual(restored?.["data"], content["data"]))
      found.push(`Completed without the content of ${place}`);
  }
  return found;
}

function checkCreatedOnce({ created }: Aftermath): string[] {
  return [...created].filter(([, count]) => count > 1).map(([place, count]) => `created ${count} times: ${place}`);
}

const comparedKeys = ["phase", "errors", "warnings", "progress", "completionTimestamp", "failureReason"].concat(
  ["Attempted", "Completed", "Failed"].map((end) => `backupItemOperations${end}`),
);

/** Counts in the status are those of the files. */
function checkCounts(
  kind: "backup" | "restore",
  {
    store,
    keys,
    status,
  }: {
    readonly store: MemoryStore;
    readonly keys: { readonly results: string; readonly itemOperations: string };
    readonly status: Status;
  },
): string[] {
  const found: string[] = [];
  const count = (key: string) => Number(status[key] ?? 0);
  const results = jsonOf<{ errors?: Messages; warnings?: Messages }>(store, keys.results);
  if (results && countOf(results.errors) !== count("errors"))
    found.push(`${kind}: ${count("errors")} errors in status, ${countOf(results.errors)} in the results`);
  if (results && countOf(results.warnings) !== count("warnings"))
    found.push(`${kind}: ${count("warnings")} warnings in status, ${countOf(results.warnings)} in the results`);
  const operations = operationsOf(store, keys.itemOperations);
  const counted = (phase: string) => operations.filter(({ status: { phase: own } }) => own === phase).length;
  const pairs = { Attempted: operations.length, Completed: counted("Completed"), Failed: counted("Failed") };
  for (const [end, want] of Object.entries(pairs)) {
    const said = count(`${kind}ItemOperations${end}`);
    if (said !== want) found.push(`${kind}: ${said} operations ${end.toLowerCase()} in status, ${want} in the file`);
  }
  const running = operations.filter(({ status: { phase } }) => phase === "New" || phase === "InProgress");
  if (running.length > 0) found.push(`${kind}: ${running.length} operations still run in the file`);
  return found;
}

interface Messages {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

function countOf({ velero = [], cluster = [], namespaces = {} }: Messages = {}): number {
  return velero.length + cluster.length + Object.values(namespaces).flat().length;
}

function differences(what: string, one: Status, other: Status, keys: readonly string[]): string[] {
  return keys
    .filter((key) => !isDeepStrictEqual(one[key] ?? 0, other[key] ?? 0))
    .map((key) => `${what} says ${key} ${JSON.stringify(one[key])}, the cluster ${JSON.stringify(other[key])}`);
}

const expectedItems = [
  `namespaces ${sourceNamespace}`,
  `configmaps ${sourceNamespace}/plain`,
  `configmaps ${sourceNamespace}/first`,
  `configmaps ${sourceNamespace}/second`,
  `secrets ${sourceNamespace}/token`,
  `pods ${sourceNamespace}/web`,
  `persistentvolumeclaims ${sourceNamespace}/disk`,
  "persistentvolumes pv-disk",
];

type Archived = ReadonlyMap<string, KubernetesObject>;

async function archivedItems(store: MemoryStore, key: string): Promise<Archived> {
  if (!store.objects.has(key)) return new Map();
  const scope = { signal: new AbortController().signal, log: silentLogger };
  await using archive = await openArchive(store.get(key, scope), { scratch: memoryScratch() }, scope);
  const found = new Map<string, KubernetesObject>();
  for (const groupResource of archive.groupResources()) {
    for (const namespace of archive.namespaces(groupResource)) {
      for (const name of archive.names(groupResource, namespace)) {
        const { object } = await archive.read({ groupResource, namespace, name }, scope);
        found.set(placeOf({ resource: groupResource, namespace, name }), object);
      }
    }
  }
  return found;
}

function statusOf(found: KubernetesObject | undefined): Status | undefined {
  return found && ((found["status"] ?? {}) as Status);
}

function placeOf({ resource, namespace, name }: LedgerLine): string {
  return `${resource} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

function ledgerOf(store: MemoryStore, key: string): LedgerLine[] {
  const bytes = store.objects.get(key);
  if (!bytes) return [];
  const lines = gunzipSync(bytes).toString().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerLine).filter(({ outcome }) => outcome !== undefined);
}

function jsonOf<T>(store: MemoryStore, key: string): T | undefined {
  const bytes = store.objects.get(key);
  return bytes && (JSON.parse(gunzipSync(bytes).toString()) as T);
}

interface StoredOperation {
  readonly spec: { readonly resourceIdentifier: { Resource: string; Namespace: string; Name: string } };
  readonly status: { readonly phase: string };
}

function operationsOf(store: MemoryStore, key: string): readonly StoredOperation[] {
  return jsonOf<readonly StoredOperation[] | null>(store, key) ?? [];
}

interface Snapshot {
  readonly spec: { readonly persistentVolumeName: string };
  readonly status: { readonly providerSnapshotID?: string; readonly phase: string };
}

function snapshotsOf(store: MemoryStore): readonly Snapshot[] {
  return jsonOf<readonly Snapshot[] | null>(store, backupKeys(backupName).volumeSnapshots) ?? [];
}
