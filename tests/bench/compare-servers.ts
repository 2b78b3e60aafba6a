import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { connectCluster, type KubeClient } from "@jibe/kube";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { useStorage } from "../peers/differential/storage.ts";
import { fillCluster, itemNamespaces } from "./cluster-items.ts";
import { measureRun, type RunFigures } from "./measure-run.ts";
import { jibe, type StartServer, velero } from "./servers.ts";

/** One server's figures for one amount of items. */
export interface ServerFigures {
  readonly server: string;
  readonly backup: readonly RunFigures[];
  readonly restore: readonly RunFigures[];
}

export interface Comparison {
  readonly items: number;
  readonly servers: readonly ServerFigures[];
}

export interface CompareOptions {
  readonly items: number;
  readonly rounds: number;
  /** Restores by Velero take long; none are made above this number of items. */
  readonly mostRestoredByVelero: number;
  readonly tuned: boolean;
}

const tunedFlags = ["--client-qps=5000", "--client-burst=5000"];

/** Backs up and restores the same objects with each server in turn, on one real API server. */
export async function compareServers(options: CompareOptions, scope: Scope): Promise<Comparison> {
  await using kubernetes = await startKubernetes({ controllerManager: true }, scope);
  await using client = await connectCluster({ kubeconfig: kubernetes.kubeconfig, env: {} }, scope);
  await fillCluster(client, options.items, scope);
  const starts: readonly (readonly [string, StartServer])[] = [
    ["jibe", jibe],
    ["velero", velero("velero")],
    ...(options.tuned ? ([["velero-tuned", velero("velero-tuned", tunedFlags)]] as const) : []),
  ];
  const servers: ServerFigures[] = [];
  for (const [name, start] of starts)
    servers.push(await measureServer(name, start, options, { kubernetes, client }, scope));
  return { items: options.items, servers };
}

async function measureServer(
  name: string,
  start: StartServer,
  { items, rounds, mostRestoredByVelero }: CompareOptions,
  { kubernetes, client }: { readonly kubernetes: Kubernetes; readonly client: KubeClient },
  scope: Scope,
): Promise<ServerFigures> {
  const dir = join(kubernetes.dir, name);
  await using server = await start(kubernetes, dir, scope);
  await useStorage(kubernetes, join(dir, "store"), scope);
  const spec = { includedNamespaces: itemNamespaces(items), snapshotVolumes: false };
  const backup: RunFigures[] = [];
  const restore: RunFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    backup.push(await measureRun({ kind: "Backup", name: `${name}-${round}`, spec }, { client, server }, scope));
  }
  if (name === "jibe" || items <= mostRestoredByVelero) {
    const namespaceMapping = Object.fromEntries(itemNamespaces(items).map((from) => [from, `${from}-by-${name}`]));
    const restoreSpec = { backupName: `${name}-0`, namespaceMapping };
    restore.push(
      await measureRun({ kind: "Restore", name: `${name}-0`, spec: restoreSpec }, { client, server }, scope),
    );
    for (const namespace of Object.values(namespaceMapping)) {
      await kubernetes.kubectl(["delete", "namespace", namespace, "--wait=false"]);
    }
  }
  await kubernetes.kubectl(["delete", "backups.velero.io,restores.velero.io", "--all", "-n", "velero", "--wait=false"]);
  return { server: name, backup, restore };
}
