import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import type { Cluster } from "@jibe/engine";
import { connectCluster, type KubeObject } from "@jibe/kube";
import { startSandbox } from "@jibe/sandbox";
import { eventually, namespace, tempDir } from "@jibe/testkit";
import { coreTypes, veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import { kubeCluster } from "../../cluster/kube-cluster.ts";
import { customResourceDefinitions } from "../../crds/index.ts";
import { Resources } from "../resources.ts";

/** The backups of a cluster of their own, and a folder. */
export interface SandboxBackups extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly backups: Resources<Backup>;
  readonly dir: string;
}

export async function sandboxBackups(scope: Scope): Promise<SandboxBackups> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await startSandbox());
  const { path: dir } = stack.use(await tempDir("sandbox-backups"));
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, sandbox.kubeconfig());
  const client = stack.use(await connectCluster({ env: {}, kubeconfig }, scope));
  const definitions = { ...coreTypes.namespace, group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
  for (const object of customResourceDefinitions())
    await client.create(definitions, { object: object as KubeObject }, scope);
  await client.create(coreTypes.namespace, { object: namespace("velero") as KubeObject }, scope);
  const cluster = kubeCluster(client);
  const backups = new Resources<Backup>(cluster, veleroTypes.backup, "velero");
  await eventually(() => backups.list({}, scope));
  const owned = stack.move();
  return { cluster, backups, dir, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
