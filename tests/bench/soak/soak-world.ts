import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { connectCluster, type KubeClient, type KubeObject, type ResourceRef } from "@jibe/kube";
import { configMap, eventually, namespace, secret, service, tempDir } from "@jibe/testkit";
import { type PeerProcess, startPeerProcess } from "@jibe/testkit/peers";
import { coreTypes, veleroTypes } from "../../../packages/jibe/src/api/index.ts";
import { customResourceDefinitions } from "../../../packages/jibe/src/crds/index.ts";
import { bundleProduct } from "../bundle.ts";

const unbundled = join(import.meta.dirname, "../../../packages/jibe/bin/jibe.js");
const coreType = (resource: string, kind: string): ResourceRef => ({ ...coreTypes.configMap, resource, kind });
export const serviceType = coreType("services", "Service");
const definitionType: ResourceRef = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** A sandbox, a server and a store on the file system, each server in a process of its own. */
export interface SoakWorld extends AsyncDisposable {
  readonly client: KubeClient;
  readonly server: PeerProcess;
  /** The store's bucket. */
  readonly bucket: string;
  /** Where the server keeps what a run needs while it lasts. */
  readonly scratch: string;
}

export async function startSoakWorld(scope: Scope): Promise<SoakWorld> {
  await using stack = new AsyncDisposableStack();
  const { path: dir } = stack.use(await tempDir("soak"));
  const [bucket, scratch] = [join(dir, "store", "bucket"), join(dir, "scratch")];
  for (const folder of [bucket, scratch, join(dir, "no-plugins")]) await mkdir(folder, { recursive: true });
  const program = await bundleProduct(join(dir, "dist"));
  const kubeconfig = join(dir, "kubeconfig");
  const start = (name: string, args: readonly string[]) =>
    startPeerProcess({
      name,
      program: process.execPath,
      args,
      dir,
      env: { HOME: dir, VELERO_SCRATCH_DIR: scratch },
    });
  const cluster = stack.use(await start("sandbox", [unbundled, "sandbox", `--kubeconfig-out=${kubeconfig}`]));
  await eventually(() => cluster.logs().includes("Ctrl-C ends it"), { timeoutMs: 60_000, signal: scope.signal });
  const client = stack.use(await connectCluster({ kubeconfig, env: {} }, scope));
  await installDefinitions(client, join(dir, "store"), scope);
  const flags = [
    "--max-semi-space-size=4", // as bin/jibe.js has it
    "--inspect=127.0.0.1:0", // lets us ask for the heap that is really in use
    program,
    "server",
    `--kubeconfig=${kubeconfig}`,
    "--namespace=velero",
    `--plugin-dir=${join(dir, "no-plugins")}`,
    "--metrics-address=127.0.0.1:0",
    "--allow-other-server",
  ];
  const server = stack.use(await start("server", flags));
  await eventually(() => server.logs().includes("server takes work"), { timeoutMs: 60_000, signal: scope.signal });
  const owned = stack.move();
  return { client, server, bucket, scratch, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function installDefinitions(client: KubeClient, root: string, scope: Scope): Promise<void> {
  for (const object of customResourceDefinitions())
    await client.create(definitionType, { object: object as unknown as KubeObject }, scope);
  await client.create(coreTypes.namespace, { object: namespace("velero") }, scope);
  const location = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace: "velero" },
    spec: { provider: "jibe.io/filesystem", default: true, objectStorage: { bucket: "bucket" }, config: { root } },
  };
  await client.create(veleroTypes.backupStorageLocation, { namespace: "velero", object: location }, scope);
}

/** A namespace with one object of three types. */
export async function deploySmallNamespace(client: KubeClient, name: string, scope: Scope): Promise<void> {
  await client.create(coreTypes.namespace, { object: namespace(name) }, scope);
  const create = (type: ResourceRef, object: KubeObject) => client.create(type, { namespace: name, object }, scope);
  await create(coreTypes.configMap, configMap("settings", { namespace: name, data: { color: "blue" } }));
  await create(coreTypes.secret, secret("key", { namespace: name }));
  await create(serviceType, service("web", { namespace: name }));
}
