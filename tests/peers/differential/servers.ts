import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { buildGoProgram, installVelero, type Kubernetes, startPeerProcess, startVelero } from "@jibe/testkit/peers";

/** Where a server under comparison works. Two servers get the same cluster, one after the other, or equal ones. */
export interface World {
  readonly kubernetes: Kubernetes;
  /** Folder of plugin programs. */
  readonly pluginDir: string;
  /** Where the plugins keep operations and calls. */
  readonly stateDir: string;
}

/** A running server: Velero's or ours. */
export interface RunningServer extends AsyncDisposable {
  readonly name: "velero" | "jibe";
  logs(): string;
}

export type RunServer = (world: World, scope: Scope) => Promise<RunningServer>;

// Both servers take the same flags. The short intervals only save time; more than one backup at once is allowed because
// real Velero sometimes forgets to free the place of a backup that failed validation.
const flags = [
  "--item-operation-sync-frequency=1s",
  "--store-validation-frequency=1s",
  "--resource-timeout=5s",
  "--concurrent-backups=20",
];

export const runVelero: RunServer = async ({ kubernetes, pluginDir, stateDir }, scope) => {
  const env = { PLUGIN_STATE_DIR: stateDir };
  const velero = await startVelero({ kubernetes, pluginDir, env, flags }, scope);
  return { name: "velero", logs: velero.logs, [Symbol.asyncDispose]: velero[Symbol.asyncDispose] };
};

export const runJibe: RunServer = async ({ kubernetes, pluginDir, stateDir }, scope) => {
  await installVelero({ kubernetes }, scope);
  const args = [
    join(import.meta.dirname, "../../../packages/jibe/bin/jibe.js"),
    "server",
    `--kubeconfig=${kubernetes.kubeconfig}`,
    "--namespace=velero",
    `--plugin-dir=${pluginDir}`,
    "--metrics-address=127.0.0.1:0",
    ...flags,
  ];
  const server = await startPeerProcess({
    name: "jibe",
    program: process.execPath,
    args,
    dir: stateDir,
    env: { PLUGIN_STATE_DIR: stateDir, HOME: stateDir },
  });
  return { name: "jibe", logs: server.logs, [Symbol.asyncDispose]: server.kill };
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
