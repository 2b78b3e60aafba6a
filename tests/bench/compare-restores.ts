import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import type { KubeClient } from "@jibe/kube";
import { tempDir } from "@jibe/testkit";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { measureBareCreates } from "./bare-limits.ts";
import { createLocation, startRealCluster } from "./bench-cluster.ts";
import { fillCluster, type ItemPlan, itemNamespaces, warmUpNamespace } from "./cluster-items.ts";
import { backupSpec, type ComparisonOptions } from "./compare-backups.ts";
import { inTurns, type Rounds } from "./in-turns.ts";
import { measureRun, type RunFigures } from "./measure-run.ts";
import { preparePlugins, type ServerKind, testStore } from "./servers.ts";

export interface RestoreOptions extends ComparisonOptions {
  /** Makes the backup that all restore. */
  readonly maker: ServerKind;
  /** Whether equal objects are in the target before. */
  readonly ontoExisting: boolean;
}

/** Backups that are restored: their store and their resources. */
export interface BackupSource {
  readonly root: string;
  readonly backups: readonly object[];
}

export const bareCreates = "bare creates";

/** Restores one backup with each server in turn, each time into a new real cluster by a fresh server. */
export async function compareRestores(options: RestoreOptions, scope: Scope): Promise<readonly Rounds<RunFigures>[]> {
  await using dir = await tempDir("bench-restores");
  const pluginDir = await preparePlugins(dir.path, options.plugins, scope);
  const source = await makeSource(options, { dir: dir.path, pluginDir }, scope);
  const contestants = options.servers.map((server) => ({
    name: server.name,
    measure: (round: number) => measureRestore({ ...options, server, round, pluginDir, source }, scope),
  }));
  const bare = { name: bareCreates, measure: () => measureBare(options.plan, scope) };
  const isPlain = options.plugins === "none" && !options.ontoExisting;
  return await inTurns(isPlain ? [...contestants, bare] : contestants, options);
}

async function measureBare(plan: ItemPlan, scope: Scope): Promise<RunFigures> {
  await using cluster = await startRealCluster(scope);
  return await measureBareCreates(cluster, plan, scope);
}

async function makeSource(
  { plan, maker }: RestoreOptions,
  { dir, pluginDir }: { readonly dir: string; readonly pluginDir: string },
  scope: Scope,
): Promise<BackupSource> {
  await using cluster = await startRealCluster(scope);
  const root = join(dir, "store");
  await mkdir(root);
  await createLocation(cluster.client, { root, provider: testStore }, scope);
  await fillCluster(cluster.client, plan, scope);
  await using server = await maker.start({ cluster, pluginDir, dir: join(cluster.dir, "maker") }, scope);
  const witnesses = { client: cluster.client, serverPid: server.pid };
  const specs = { "warm-up": backupSpec([warmUpNamespace]), measured: backupSpec(itemNamespaces(plan.count)) };
  const backups: object[] = [];
  for (const [name, spec] of Object.entries(specs)) {
    await measureRun({ kind: "Backup", name, spec }, witnesses, scope);
    backups.push(await cluster.client.get(veleroTypes.backup, { namespace: "velero", name }, scope));
  }
  return { root, backups };
}

async function measureRestore(
  options: RestoreOptions & {
    readonly server: ServerKind;
    readonly round: number;
    readonly pluginDir: string;
    readonly source: BackupSource;
  },
  scope: Scope,
): Promise<RunFigures> {
  const { server, round, plan, pluginDir, source } = options;
  scope.log.info("restore", { server: server.name, round, items: plan.count });
  await using cluster = await startRealCluster(scope);
  await createLocation(cluster.client, { root: source.root, provider: testStore }, scope);
  await takeIn(cluster.client, source.backups, scope);
  if (options.ontoExisting) await fillCluster(cluster.client, plan, scope);
  await using running = await server.start({ cluster, pluginDir, dir: join(cluster.dir, "server") }, scope);
  const witnesses = { client: cluster.client, serverPid: running.pid, readApi: cluster.readApi };
  const name = `${server.id}-${round}`;
  const restore = (backupName: string) => ({
    kind: "Restore" as const,
    name: `${backupName}-${name}`,
    spec: { backupName },
  });
  await measureRun(restore("warm-up"), witnesses, scope);
  return await measureRun(restore("measured"), witnesses, scope);
}

/** What a server would do that finds the backups in the store, without the wait for it. */
export async function takeIn(client: KubeClient, backups: readonly object[], scope: Scope): Promise<void> {
  for (const backup of backups) {
    const { metadata, ...rest } = backup as { readonly metadata: Record<string, unknown> };
    const { name, labels, annotations } = metadata;
    const object = { ...rest, metadata: { name, namespace: "velero", labels, annotations } };
    await client.create(veleroTypes.backup, { namespace: "velero", object: object as never }, scope);
  }
}
