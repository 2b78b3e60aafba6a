import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { connectCluster, type KubeClient } from "@jibe/kube";
import { eventually, tempDir } from "@jibe/testkit";
import { installVelero, type Kubernetes, startKubernetes, startPeerProcess } from "@jibe/testkit/peers";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { customResourceDefinitions } from "../../packages/jibe/src/crds/index.ts";
import { type ApiUsage, readApiUsage } from "./api-usage.ts";
import { createNamespaces } from "./cluster-items.ts";
import { usageOf } from "./process-usage.ts";

/** A cluster with our resource definitions, ready for a server. Disposing ends it. */
export interface BenchCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly kubeconfig: string;
  /** A folder that lives as long as the cluster. */
  readonly dir: string;
}

/** A real API server with etcd and nothing else: no controller adds objects or load. */
export interface RealCluster extends BenchCluster {
  readonly kubernetes: Kubernetes;
  readonly readApi: () => Promise<ApiUsage>;
}

export interface SandboxCluster extends BenchCluster {
  /** The most memory that the sandbox ever held. */
  readonly peakMb: () => Promise<number>;
}

export async function startRealCluster(scope: Scope): Promise<RealCluster> {
  await using stack = new AsyncDisposableStack();
  const kubernetes = stack.use(await startKubernetes({}, scope));
  await installVelero({ kubernetes }, scope);
  const { kubeconfig, dir } = kubernetes;
  const client = stack.use(await connectCluster({ kubeconfig, env: {} }, scope));
  const readApi = () => readApiUsage(client, kubernetes.apiServerPid(), scope);
  const owned = stack.move();
  return { client, kubeconfig, dir, kubernetes, readApi, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** An embedded API server in a process of its own, started as users start it. */
export async function startSandboxCluster(jibeProgram: string, scope: Scope): Promise<SandboxCluster> {
  await using stack = new AsyncDisposableStack();
  const { path: dir } = stack.use(await tempDir("bench-sandbox"));
  const kubeconfig = join(dir, "kubeconfig");
  // A million objects need more than what Node takes by itself.
  const args = ["--max-old-space-size=14000", jibeProgram, "sandbox", `--kubeconfig-out=${kubeconfig}`];
  const sandbox = stack.use(await startPeerProcess({ name: "sandbox", program: process.execPath, args, dir }));
  await eventually(
    () => {
      if (/Ctrl-C ends it/.test(sandbox.logs())) return true;
      throw new Error(`the sandbox does not start: ${sandbox.logs()}`);
    },
    { timeoutMs: 60_000, signal: scope.signal },
  );
  const client = stack.use(await connectCluster({ kubeconfig, env: {} }, scope));
  for (const object of customResourceDefinitions()) await client.createRaw(definitions, { object }, scope);
  await createNamespaces(client, ["velero"], scope);
  const owned = stack.move();
  return {
    client,
    kubeconfig,
    dir,
    peakMb: async () => (await usageOf(sandbox.pid)).peakMb,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** Makes the folder `root` the place where backups are kept. */
export async function createLocation(
  client: KubeClient,
  { root, provider }: { readonly root: string; readonly provider: string },
  scope: Scope,
): Promise<void> {
  const spec = { provider, default: true, objectStorage: { bucket: "bucket" }, config: { root } };
  const object = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace: "velero" },
    spec,
  };
  await client.create(veleroTypes.backupStorageLocation, { namespace: "velero", object }, scope);
}

/** Waits until a running server has found the location to be usable. */
export async function untilLocationAvailable(client: KubeClient, scope: Scope): Promise<void> {
  const name = { namespace: "velero", name: "default" };
  await eventually(
    async () => {
      const { status } = await client.get(veleroTypes.backupStorageLocation, name, scope);
      return (status as { readonly phase?: string } | undefined)?.phase === "Available";
    },
    { timeoutMs: 90_000, intervalMs: 100, signal: scope.signal },
  );
}
