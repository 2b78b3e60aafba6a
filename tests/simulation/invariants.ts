import { isDeepStrictEqual } from "node:util";
import { backupKeys, hasGap, isFinalizing, type RunResults, restoreKeys } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { MemoryCluster } from "../../packages/engine/test/memory-cluster.ts";
import type { MemoryStore } from "../../packages/engine/test/memory-store.ts";
import { canceledByUser } from "../../packages/jibe/src/api/names.ts";
import { doneAnnotation, type Provider } from "./provider.ts";
import { type RequestedObject, readRequested } from "./requests.ts";
import { expectedItems, type RunPlan } from "./simulated-world.ts";
import {
  type Archived,
  archivedItems,
  jsonOf,
  ledgerOf,
  listOf,
  placeOf,
  type StoredOperation,
  type StoredSnapshot,
} from "./stored-files.ts";
import { checkVolumes, checkWork } from "./work-invariants.ts";

/** What is left after a run. */
export interface Aftermath {
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly provider: Provider;
  readonly created: ReadonlyMap<string, number>;
  readonly asked: readonly RequestedObject[];
  /** Servers that were killed or lost their lease, and when. */
  readonly losses: readonly { readonly name: string; readonly ms: number }[];
  /** When a server's saving of what it had started met a fault, and came late or not at all. */
  readonly troubledSaves: readonly { readonly server: string; readonly ms: number }[];
  /** Files that a server touched which another had replaced, and what the next made of them: no store can refuse it. */
  readonly lateKeys: ReadonlySet<string>;
  /** When one of those was the account of what a run had started: what it did not know is forgotten. */
  readonly lateSaves: readonly number[];
  /** Whether calls took so long that a canceled run had to end without its files. */
  readonly hadDelays: boolean;
}

type Status = Readonly<Record<string, unknown>>;

/** Everything that must hold once all runs have ended; gives what does not. */
export async function checkWorld(aftermath: Aftermath, plans: readonly RunPlan[]): Promise<string[]> {
  const ofRuns = await Promise.all(plans.map((plan) => checkRun(aftermath, plan)));
  return [
    ...checkWork(aftermath, plans),
    ...checkVolumes(aftermath, plans),
    ...ofRuns.flat(),
    ...checkCreatedOnce(aftermath),
  ];
}

async function checkRun(aftermath: Aftermath, plan: RunPlan): Promise<string[]> {
  const { cluster, store, asked } = aftermath;
  const [backup, restore] = [
    { kind: "backup", name: plan.backup },
    { kind: "restore", name: plan.restore },
  ] as const;
  const [backupFiles, restoreFiles] = [backupKeys(plan.backup), restoreKeys(plan.restore)];
  if (wasLate(aftermath, backupFiles.directory)) return [];
  const status = statusOf(readRequested(cluster, backup));
  if (!status) return checkGone(aftermath, backup, backupFiles.directory);
  if (status["phase"] === "Deleting") return [];
  const archived = await archivedItems(store, backupFiles.contents);
  const found = [...checkLedger(store, backupFiles.ledger), ...checkBackup(aftermath, { plan, status, archived })];
  if (wasLate(aftermath, restoreFiles.directory) || !asked.some(({ name }) => name === restore.name)) return found;
  const restored = statusOf(readRequested(cluster, restore));
  return [
    ...found,
    ...checkLedger(store, restoreFiles.ledger),
    ...(restored
      ? checkRestore(aftermath, { plan, status: restored, archived })
      : checkGone(aftermath, restore, restoreFiles.directory)),
  ];
}

function wasLate({ lateKeys }: Aftermath, directory: string): boolean {
  return [...lateKeys].some((key) => key.startsWith(directory));
}

/** What was deleted has left no file. */
function checkGone({ store }: Aftermath, { kind, name }: RequestedObject, directory: string): string[] {
  const left = [...store.objects.keys()].filter((key) => key.startsWith(directory));
  return left.length === 0 ? [] : [`${kind} ${name} is gone and left ${left.join(", ")}`];
}

function checkLedger(store: MemoryStore, key: string): string[] {
  const outcomes = new Map<string, number>();
  for (const line of ledgerOf(store, key)) outcomes.set(placeOf(line), (outcomes.get(placeOf(line)) ?? 0) + 1);
  return [...outcomes]
    .filter(([, count]) => count > 1)
    .map(([place, count]) => `${count} outcomes in ${key}: ${place}`);
}

interface CheckedRun {
  readonly plan: RunPlan;
  readonly status: Status;
  readonly archived: Archived;
}

function checkBackup({ store, cluster, hadDelays }: Aftermath, { plan, status, archived }: CheckedRun): string[] {
  const keys = backupKeys(plan.backup);
  const phase = status["phase"];
  const found: string[] = [];
  const stored = store.objects.get(keys.metadata);
  const isUsable = phase === "Completed" || phase === "PartiallyFailed";
  if (isUsable && !stored) return [`${plan.backup} is ${phase} without a stored backup`];
  if (stored) {
    const copy = (JSON.parse(Buffer.from(stored).toString()) as { status?: Status }).status;
    const isGivenUp = hadDelays && status["failureReason"] === canceledByUser && isFinalizing(String(copy?.["phase"]));
    if (!isGivenUp) found.push(...differences(`the stored ${plan.backup}`, copy ?? {}, status, comparedKeys));
  }
  if (!isUsable) return found;
  found.push(...checkCounts("backup", { store, keys, status }));
  if (archived.size === 0) found.push(`${plan.backup} is ${phase} without an archive`);
  for (const line of ledgerOf(store, keys.ledger)) {
    const isArchived = archived.has(placeOf(line));
    if (line.outcome === "stored" && !isArchived) found.push(`acknowledged but not archived: ${placeOf(line)}`);
  }
  if (phase === "Completed") found.push(...checkComplete({ store, cluster }, { plan, archived }));
  for (const { spec, status: snapshot } of listOf<StoredSnapshot>(store, keys.volumeSnapshots)) {
    if (snapshot.phase === "New") found.push(`snapshot of ${spec.persistentVolumeName} still New in ${plan.backup}`);
  }
  return found;
}

/** A completed backup has every item, and as it was after its operation. */
function checkComplete(
  { store, cluster }: Pick<Aftermath, "store" | "cluster">,
  { plan, archived }: Pick<CheckedRun, "plan" | "archived">,
): string[] {
  const missing = expectedItems(plan.source).filter((place) => !archived.has(place));
  const operations = listOf<StoredOperation>(store, backupKeys(plan.backup).itemOperations);
  const outdated = operations.flatMap(({ spec, status }) => {
    const { Resource, Namespace, Name } = spec.resourceIdentifier;
    if (Resource !== "configmaps" || status.phase !== "Completed") return [];
    const done = archived.get(`configmaps ${Namespace}/${Name}`)?.metadata.annotations?.[doneAnnotation];
    const now = cluster.read("configmaps", Name, Namespace)?.metadata.annotations?.[doneAnnotation];
    return done === undefined || now === undefined ? [`${plan.backup} is Completed without the update of ${Name}`] : [];
  });
  return [...missing.map((place) => `${plan.backup} is Completed without ${place}`), ...outdated];
}

function checkRestore({ store, cluster }: Aftermath, { plan, status, archived }: CheckedRun): string[] {
  const keys = restoreKeys(plan.restore);
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
    const restored = cluster.read(`${kind.toLowerCase()}s`, metadata.name, plan.target);
    if (!isDeepStrictEqual(restored?.["data"], content["data"]))
      found.push(`${plan.restore} is Completed without the content of ${place}`);
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
  const stored = jsonOf<RunResults>(store, keys.results);
  // Where the store refused the results of the run itself, they say so, and how many there were.
  const results = stored && hasGap(stored) ? undefined : stored;
  if (results && countOf(results.errors) !== count("errors"))
    found.push(`${kind}: ${count("errors")} errors in status, ${countOf(results.errors)} in the results`);
  if (results && countOf(results.warnings) !== count("warnings"))
    found.push(`${kind}: ${count("warnings")} warnings in status, ${countOf(results.warnings)} in the results`);
  const operations = listOf<StoredOperation>(store, keys.itemOperations);
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

function statusOf(found: KubernetesObject | undefined): Status | undefined {
  return found && ((found["status"] ?? {}) as Status);
}
