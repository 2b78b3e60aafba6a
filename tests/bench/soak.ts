import { forEachConcurrent, hasCode, type Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { measureRun } from "./measure-run.ts";
import { usageOf } from "./process-usage.ts";
import { checkContents, type MadeRuns } from "./soak/check-contents.ts";
import { type HealthProbe, probeServer, type ServerHealth } from "./soak/server-health.ts";
import { deploySmallNamespace, type SoakWorld, startSoakWorld } from "./soak/soak-world.ts";

export interface SoakOptions {
  /** Backups, and as many restores, one after another; then the same number again, several at once. */
  readonly runs: number;
  readonly atOnce: number;
}

/** One quantity after the warm-up and at the end, both with no backup left. */
export interface Growth {
  readonly warm: number;
  readonly end: number;
  readonly perRunKb: number;
}

export interface SoakFigures {
  readonly backups: number;
  readonly restores: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly heapMb: Growth;
  readonly residentMb: Growth;
  readonly handles: { readonly warm: number; readonly end: number };
  /** Sentences about what grew, and about what store and cluster hold wrongly. Empty when all is well. */
  readonly faults: readonly string[];
}

// What lives on by design: counters by label, the interpreter's own tables. A leak of one small object a run exceeds it in a full soak.
const heapAllowanceMb = 2;
const residentAllowanceMb = 40;

/**
 * Backs up and restores small namespaces over and over on one server, deletes everything, and compares what the server holds
 * with what it held after a warm-up. Store and cluster are checked to the last file before and after the deletion.
 */
export async function soak({ runs, atOnce }: SoakOptions, scope: Scope): Promise<SoakFigures> {
  await using world = await startSoakWorld(scope);
  using probe = await probeServer(world.server, scope.signal);
  for (let index = 0; index < atOnce; index++) await deploySmallNamespace(world.client, sourceOf(index), scope);
  const faults: string[] = [];
  const round = async (name: string, count: number, limit: number) => {
    const made = await makeRuns(world, { name, count, limit, sources: atOnce }, scope);
    faults.push(...(await checkContents(world, made, scope)));
    scope.log.info("soak round done", { name, count, ...(await probe.look()) });
    await removeRuns(world, made, scope);
    faults.push(...(await checkContents(world, { backups: [], restores: [], copies: [] }, scope)));
  };
  await round("warm", Math.max(atOnce, Math.ceil(runs / 2)), atOnce);
  const warm = await settledHealth(probe, Number.POSITIVE_INFINITY, scope);
  await round("single", runs, 1);
  await round("many", runs, atOnce);
  const end = await settledHealth(probe, warm.handles, scope);
  faults.push(...growthFaults(warm, end));
  const { cpuSeconds, peakMb } = await usageOf(world.server.pid);
  const growth = (from: number, to: number): Growth => ({
    warm: from,
    end: to,
    perRunKb: ((to - from) * 1024) / (4 * runs),
  });
  return {
    backups: 2 * runs,
    restores: 2 * runs,
    cpuSeconds,
    peakMb,
    heapMb: growth(warm.heapMb, end.heapMb),
    residentMb: growth(warm.residentMb, end.residentMb),
    handles: { warm: warm.handles, end: end.handles },
    faults,
  };
}

const sourceOf = (index: number) => `shop-${index}`;

async function makeRuns(
  { client, server }: SoakWorld,
  options: { readonly name: string; readonly count: number; readonly limit: number; readonly sources: number },
  scope: Scope,
): Promise<MadeRuns> {
  const { name: round, count, limit, sources } = options;
  const made = { backups: [] as string[], restores: [] as string[], copies: [] as string[] };
  const each = async (index: number, inner: Scope) => {
    const name = `${round}-${index}`;
    const source = sourceOf(index % sources);
    const copy = `copy-${name}`;
    const runs = [
      { kind: "Backup", name, spec: { includedNamespaces: [source], snapshotVolumes: false } },
      { kind: "Restore", name, spec: { backupName: name, namespaceMapping: { [source]: copy } } },
    ] as const;
    for (const run of runs) await measureRun(run, { client, serverPid: server.pid }, inner);
    made.backups.push(name);
    made.restores.push(name);
    made.copies.push(copy);
  };
  await forEachConcurrent(Array(count).keys(), { limit, each }, scope);
  return made;
}

/** Deletes the backups as users do, with their files and restores, and the namespaces that restores made. */
async function removeRuns({ client }: SoakWorld, { backups, copies }: MadeRuns, scope: Scope): Promise<void> {
  for (const backupName of backups) {
    const object = {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: `delete-${backupName}`, namespace: "velero" },
      spec: { backupName },
    };
    await client.create(veleroTypes.deleteBackupRequest, { namespace: "velero", object }, scope);
  }
  for (const name of copies) await client.delete(coreTypes.namespace, { name }, scope);
  const kinds = [veleroTypes.backup, veleroTypes.restore, veleroTypes.deleteBackupRequest];
  const isClear = async () => {
    const lists = await Promise.all(kinds.map((type) => client.list(type, { namespace: "velero" }, scope)));
    if (lists.some(({ items }) => items.length > 0)) return false;
    const left = await Promise.all(
      copies.map((name) => client.get(coreTypes.namespace, { name }, scope).catch(absent)),
    );
    return left.every((found) => found === undefined);
  };
  await eventually(isClear, { timeoutMs: 300_000, intervalMs: 500, signal: scope.signal });
}

function absent(error: unknown): undefined {
  if (!hasCode(error, "NotFound")) throw error;
}

/** How the server is once connections that nobody uses are closed; gives up waiting for that after a minute. */
async function settledHealth(probe: HealthProbe, handles: number, scope: Scope): Promise<ServerHealth> {
  let health = await probe.look();
  const isSettled = async () => {
    const earlier = health;
    health = await probe.look();
    return handles === Number.POSITIVE_INFINITY ? health.handles === earlier.handles : health.handles <= handles;
  };
  const waiting = { timeoutMs: 60_000, intervalMs: 5_000, signal: scope.signal };
  await eventually(isSettled, waiting).catch(() => scope.signal.throwIfAborted());
  return health;
}

function growthFaults(warm: ServerHealth, end: ServerHealth): string[] {
  const grown = (what: string, from: number, to: number, allowance: number) =>
    to > from + allowance ? [`${what} grew from ${from.toFixed(1)} to ${to.toFixed(1)}`] : [];
  return [
    ...grown("the heap in use (MB)", warm.heapMb, end.heapMb, heapAllowanceMb),
    ...grown("resident memory (MB)", warm.residentMb, end.residentMb, residentAllowanceMb),
    ...grown("open handles", warm.handles, end.handles, 0),
  ];
}
