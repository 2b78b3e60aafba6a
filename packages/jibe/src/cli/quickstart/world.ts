import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, hasCode, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { customResourceDefinitions } from "../../crds/index.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import type { CliWorld } from "../command.ts";
import { parseArguments } from "../parse-arguments.ts";
import { serverFlags } from "../server/server-flags.ts";

export const serverNamespace = "velero";

/** A cluster with a server in it, all on this machine, in one folder. */
export interface QuickWorld extends AsyncDisposable {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly access: ClusterAccess;
  readonly logFile: string;
}

/** Starts the embedded cluster with simulated workloads. */
export async function startCluster(world: CliWorld, scope: Scope): Promise<QuickWorld> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "jibe-quickstart-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const { startSandbox } = await import("@jibe/sandbox");
  const cluster = started.use(await startSandbox({ simulateWorkloads: true, dataDir: join(folder, "cluster") }, scope));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const access = started.use(await openClusterAccess({ kubeconfig, namespace: serverNamespace }, world, scope));
  const running = started.move();
  return {
    folder,
    kubeconfig,
    access,
    logFile: join(folder, "server.log"),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Creates an object, whatever its kind; one that is there already is left alone. */
export async function createObject(object: KubernetesObject, { client }: ClusterAccess, scope: Scope): Promise<void> {
  const { resources } = await client.discover(scope);
  const type = resources.find(
    (one) =>
      one.kind === object.kind && (one.group ? `${one.group}/${one.version}` : one.version) === object.apiVersion,
  );
  if (!type) throw new Error(`the cluster does not serve ${object.apiVersion} ${object.kind}`);
  try {
    await client.create(
      type,
      { object, ...(type.namespaced ? { namespace: object.metadata.namespace ?? "" } : {}) },
      scope,
    );
  } catch (error) {
    if (!hasCode(error, "AlreadyExists")) throw error;
  }
}

/** The server's definitions, its namespace and its two locations: a folder for backups, a folder for snapshots. */
export async function prepareCluster({ folder, access }: QuickWorld, scope: Scope): Promise<void> {
  const locations = [
    {
      kind: "BackupStorageLocation",
      spec: {
        provider: "jibe.io/filesystem",
        default: true,
        objectStorage: { bucket: "backups" },
        config: { root: join(folder, "store") },
        validationFrequency: "1s",
      },
    },
    {
      kind: "VolumeSnapshotLocation",
      spec: { provider: "jibe.io/local-volume", config: { root: join(folder, "snapshots") } },
    },
  ];
  const objects: KubernetesObject[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: serverNamespace } },
    ...customResourceDefinitions(),
    ...locations.map((location) => ({
      apiVersion: "velero.io/v1",
      metadata: { name: "default", namespace: serverNamespace },
      ...location,
    })),
  ];
  for (const object of objects) await createObject(object, access, scope);
}

/** A server in this process; gives its end, which comes when the scope is stopped, once it takes work. */
export async function startServer(
  { kubeconfig, folder, logFile }: QuickWorld,
  { clock, env }: { readonly clock: Clock; readonly env: CliWorld["env"] },
  scope: Scope,
): Promise<{ readonly ended: Promise<void> }> {
  const { createWriteStream } = await import("node:fs");
  const { runServer } = await import("../../server/run-server.ts");
  const { defaultPriorities } = await import("@jibe/engine");
  const { serverLogger } = await import("../../server/server-log.ts");
  const file = createWriteStream(logFile);
  const log = serverLogger((text) => void file.write(text), { level: "info", format: "text", clock });
  const argv = [
    `--plugin-dir=${join(import.meta.dirname, "plugins")}`,
    "--metrics-address=127.0.0.1:0",
    "--allow-other-server",
    "--leader-elect=false",
  ];
  const { flags } = parseArguments(argv, serverFlags);
  const config = {
    flags,
    namespace: serverNamespace,
    kubeconfig,
    env,
    pluginArgs: argv,
    disabled: new Set<string>(),
    priorities: defaultPriorities,
    localZone: "UTC",
    scratchDir: folder,
    identity: "quickstart",
  };
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const ended = runServer({ config, clock, onReady: () => resolve() }, { signal: scope.signal, log }).finally(() =>
    file.close(),
  );
  ended.catch(reject);
  await ready;
  return { ended };
}
