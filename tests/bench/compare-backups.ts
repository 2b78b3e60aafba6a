import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { measureBareList } from "./bare-limits.ts";
import { createLocation, type RealCluster, startRealCluster } from "./bench-cluster.ts";
import { fillCluster, type ItemPlan, itemNamespaces, warmUpNamespace } from "./cluster-items.ts";
import { inTurns, type Rounds } from "./in-turns.ts";
import { measureRun, type RunFigures } from "./measure-run.ts";
import { type PluginChoice, preparePlugins, type ServerKind, testStore } from "./servers.ts";

export interface ComparisonOptions {
  readonly plan: ItemPlan;
  readonly plugins: PluginChoice;
  readonly servers: readonly ServerKind[];
  readonly rounds: number;
  /** Whoever takes longer has one round. */
  readonly mostSeconds: number;
  readonly earlier: readonly Rounds<RunFigures>[];
}

/** What is left out of a backup so that nothing but the planned items is in it. */
export const backupSpec = (namespaces: readonly string[]) => ({
  includedNamespaces: namespaces,
  snapshotVolumes: false,
});

export const bareList = "bare list";

/** Backs up the same objects with each server in turn on one real API server; each time the server is a fresh one. */
export async function compareBackups(options: ComparisonOptions, scope: Scope): Promise<readonly Rounds<RunFigures>[]> {
  await using cluster = await startRealCluster(scope);
  await createLocation(cluster.client, { root: join(cluster.dir, "store"), provider: testStore }, scope);
  await fillCluster(cluster.client, options.plan, scope);
  const pluginDir = await preparePlugins(cluster.dir, options.plugins, scope);
  const contestants = options.servers.map((server) => ({
    name: server.name,
    measure: (round: number) => measureBackup({ server, round, pluginDir, plan: options.plan }, cluster, scope),
  }));
  const bare = { name: bareList, measure: () => measureBareList(cluster) };
  return await inTurns(options.plugins === "none" ? [...contestants, bare] : contestants, options);
}

async function measureBackup(
  {
    server,
    round,
    pluginDir,
    plan,
  }: {
    readonly server: ServerKind;
    readonly round: number;
    readonly pluginDir: string;
    readonly plan: ItemPlan;
  },
  cluster: RealCluster,
  scope: Scope,
): Promise<RunFigures> {
  scope.log.info("backup", { server: server.name, round, items: plan.count });
  const name = `${server.id}-${round}`;
  await using running = await server.start({ cluster, pluginDir, dir: join(cluster.dir, name) }, scope);
  const witnesses = { client: cluster.client, serverPid: running.pid, readApi: cluster.readApi };
  await measureRun({ kind: "Backup", name: `warm-up-${name}`, spec: backupSpec([warmUpNamespace]) }, witnesses, scope);
  return await measureRun({ kind: "Backup", name, spec: backupSpec(itemNamespaces(plan.count)) }, witnesses, scope);
}
