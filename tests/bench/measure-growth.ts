import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { tempDir } from "@jibe/testkit";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { createLocation, type SandboxCluster, startSandboxCluster } from "./bench-cluster.ts";
import { fillCluster, itemNamespaces, warmUpNamespace } from "./cluster-items.ts";
import { backupSpec } from "./compare-backups.ts";
import { takeIn } from "./compare-restores.ts";
import { inTurns } from "./in-turns.ts";
import { measureRun, type RunFigures } from "./measure-run.ts";
import { jibe } from "./servers.ts";

export interface GrowthOptions {
  /** How many items, in rising order. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly mostSeconds: number;
  /** The bundled product. */
  readonly program: string;
}

/** One size: jibe's runs, and what it stored. */
export interface GrowthFigures {
  readonly items: number;
  readonly backup: readonly RunFigures[];
  readonly restore: readonly RunFigures[];
  /** Bytes of the backup in the store. */
  readonly storedMb: number;
  /** What the API server in the other process needed for these items. */
  readonly sandboxMb: number;
}

interface MadeBackup {
  readonly items: number;
  readonly backup: readonly RunFigures[];
  readonly objects: readonly object[];
  readonly storedMb: number;
  readonly sandboxMb: number;
}

/**
 * How jibe's cost grows with the number of items, on the embedded API server in another process. All backups come first,
 * on one cluster that grows; then all restores, each into a new one: so at most one cluster is in memory.
 */
export async function measureGrowth(options: GrowthOptions, scope: Scope): Promise<readonly GrowthFigures[]> {
  await using dir = await tempDir("bench-growth");
  const root = join(dir.path, "store");
  const pluginDir = join(dir.path, "no-plugins");
  for (const folder of [root, pluginDir]) await mkdir(folder);
  const place = { root, pluginDir, dir: dir.path };
  const made = await makeBackups(options, place, scope);
  const figures: GrowthFigures[] = [];
  for (const { objects, ...backup } of made) {
    const contestant = {
      name: "jibe",
      measure: (round: number) =>
        measureRestore(options, { ...place, objects, name: `${backup.items}-${round}` }, scope),
    };
    const [restore] = await inTurns([contestant], options);
    figures.push({ ...backup, restore: restore?.rounds ?? [] });
  }
  return figures;
}

interface GrowthPlace {
  readonly root: string;
  readonly pluginDir: string;
  readonly dir: string;
}

async function makeBackups(options: GrowthOptions, place: GrowthPlace, scope: Scope): Promise<readonly MadeBackup[]> {
  await using cluster = await startSandboxCluster(options.program, scope);
  await createLocation(cluster.client, { root: place.root, provider: ownStore }, scope);
  const made: MadeBackup[] = [];
  let filled = 0;
  for (const items of options.sizes) {
    scope.log.info("filling the sandbox", { items });
    await fillCluster(cluster.client, { count: items }, scope, filled);
    filled = items;
    const contestant = {
      name: "jibe",
      measure: (round: number) =>
        measureBackup(options, { ...place, cluster, items, name: `${items}-${round}` }, scope),
    };
    const [backup] = await inTurns([contestant], options);
    const names = [`warm-up-${items}-0`, `measured-${items}-0`];
    const read = (name: string) => cluster.client.get(veleroTypes.backup, { namespace: "velero", name }, scope);
    made.push({
      items,
      backup: backup?.rounds ?? [],
      objects: await Promise.all(names.map(read)),
      storedMb: await sizeMb(join(place.root, "bucket", "backups", `measured-${items}-0`)),
      sandboxMb: await cluster.peakMb(),
    });
  }
  return made;
}

/** The store that is built into jibe, so that Node alone is enough. */
const ownStore = "jibe.io/filesystem";

async function measureBackup(
  { program }: GrowthOptions,
  { cluster, pluginDir, dir, items, name }: GrowthPlace & { cluster: SandboxCluster; items: number; name: string },
  scope: Scope,
): Promise<RunFigures> {
  scope.log.info("backup", { items, name });
  await using server = await jibe(program).start({ cluster, pluginDir, dir: join(dir, `backup-${name}`) }, scope);
  const witnesses = { client: cluster.client, serverPid: server.pid };
  const run = (prefix: string, namespaces: readonly string[]) =>
    measureRun({ kind: "Backup", name: `${prefix}-${name}`, spec: backupSpec(namespaces) }, witnesses, scope);
  await run("warm-up", [warmUpNamespace]);
  return await run("measured", itemNamespaces(items));
}

async function measureRestore(
  { program }: GrowthOptions,
  { root, pluginDir, dir, objects, name }: GrowthPlace & { objects: readonly object[]; name: string },
  scope: Scope,
): Promise<RunFigures> {
  scope.log.info("restore", { name });
  await using cluster = await startSandboxCluster(program, scope);
  await createLocation(cluster.client, { root, provider: ownStore }, scope);
  await takeIn(cluster.client, objects, scope);
  await using server = await jibe(program).start({ cluster, pluginDir, dir: join(dir, `restore-${name}`) }, scope);
  const witnesses = { client: cluster.client, serverPid: server.pid };
  const [warmUp, measured] = objects.map((object) => (object as { metadata: { name: string } }).metadata.name);
  const run = (backupName = "") =>
    measureRun({ kind: "Restore", name: `${backupName}-again-${name}`, spec: { backupName } }, witnesses, scope);
  await run(warmUp);
  return await run(measured);
}

async function sizeMb(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
}
