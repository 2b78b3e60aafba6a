import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import {
  buildGoProgram,
  type CommandResult,
  installVelero,
  type Kubernetes,
  runCommand,
  startPeerProcess,
  startVelero,
} from "@jibe/testkit/peers";

/** Where a server under comparison works. Two servers get the same cluster, one after the other, or equal ones. */
export interface World {
  readonly kubernetes: Kubernetes;
  /** Folder of plugin programs. */
  readonly pluginDir: string;
  /** Where the plugins keep operations and calls. */
  readonly stateDir: string;
  /** More flags than all servers get. */
  readonly flags?: readonly string[];
}

/** A running server: Velero's or ours. */
export interface RunningServer extends AsyncDisposable {
  readonly name: "velero" | "jibe";
  logs(): string;
  /** Runs a command of the command line that belongs to the server. */
  cli(args: readonly string[]): Promise<CommandResult>;
}

export type RunServer = (world: World, scope: Scope) => Promise<RunningServer>;

// Both servers take the same flags. The short intervals only save time; more than one backup at once is allowed because
// real Velero sometimes forgets to free the place of a backup that failed validation.
const usualFlags = [
  "--item-operation-sync-frequency=1s",
  "--store-validation-frequency=1s",
  "--resource-timeout=5s",
  "--concurrent-backups=20",
];

export const runVelero: RunServer = async ({ kubernetes, pluginDir, stateDir, flags = [] }, scope) => {
  // Some of its parts look for the cluster there, and not where the flag says.
  const env = { PLUGIN_STATE_DIR: stateDir, KUBECONFIG: kubernetes.kubeconfig };
  const velero = await startVelero({ kubernetes, pluginDir, env, flags: [...usualFlags, ...flags] }, scope);
  return { name: "velero", logs: velero.logs, cli: velero.cli, [Symbol.asyncDispose]: velero[Symbol.asyncDispose] };
};

const jibe = join(import.meta.dirname, "../../../packages/jibe/bin/jibe.js");

export const runJibe: RunServer = async ({ kubernetes, pluginDir, stateDir, flags = [] }, scope) => {
  await installVelero({ kubernetes }, scope);
  const args = [
    jibe,
    "server",
    `--kubeconfig=${kubernetes.kubeconfig}`,
    "--namespace=velero",
    `--plugin-dir=${pluginDir}`,
    "--metrics-address=127.0.0.1:0",
    ...usualFlags,
    ...flags,
  ];
  const server = await startPeerProcess({
    name: "jibe",
    program: process.execPath,
    args,
    dir: stateDir,
    env: { PLUGIN_STATE_DIR: stateDir, HOME: stateDir },
  });
  const access = [`--kubeconfig=${kubernetes.kubeconfig}`, "--namespace=velero"];
  return {
    name: "jibe",
    logs: server.logs,
    cli: (line) => runCommand(process.execPath, [jibe, ...line, ...access], { env: { HOME: stateDir } }, scope),
    // It may give its lease back, so that the next one need not wait for the lease to run out.
    [Symbol.asyncDispose]: () => server.terminate(),
  };
};

/** Makes the folders of a world below `name`, with the test plugins in place. */
export async function prepareWorld(kubernetes: Kubernetes, name: string, scope: Scope): Promise<World> {
  const [pluginDir, stateDir] = [join(kubernetes.dir, name, "plugins"), join(kubernetes.dir, name, "state")];
  for (const dir of [pluginDir, stateDir]) await mkdir(dir, { recursive: true });
  const goModule = join(import.meta.dirname, "../../../packages/testkit/go/velero-plugins");
  const program = await buildGoProgram(goModule, scope);
  for (const part of ["stores", "actions"]) await copyFile(program, join(pluginDir, `test-${part}`));
  return { kubernetes, pluginDir, stateDir };
}

/** Runs `each` on a server with the features that its specs ask for, one set of features after the other. */
export async function withFeatures<Spec extends { readonly features?: readonly string[] }>(
  { specs, server, world }: { specs: readonly Spec[]; server: RunServer; world: World },
  scope: Scope,
  each: (specs: readonly Spec[], running: RunningServer) => Promise<void>,
): Promise<void> {
  for (const group of Map.groupBy(specs, ({ features = [] }) => features.join(",")).values()) {
    await using running = await server({ ...world, flags: featureFlags(group) }, scope);
    await each(group, running);
  }
}

function featureFlags([first]: readonly { readonly features?: readonly string[] }[]): readonly string[] {
  return first?.features ? [`--features=${first.features.join(",")}`] : [];
}
