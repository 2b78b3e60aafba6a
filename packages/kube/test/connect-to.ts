import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { type TempDir, tempDir } from "@jibe/testkit";
import { type ConnectOptions, connectCluster, type KubeClient } from "../src/index.ts";

export interface ConnectTo {
  readonly user?: object;
  readonly cluster?: object;
  readonly options?: Partial<ConnectOptions>;
}

/** A client of a server that a test started; the kubeconfig it reads is gone with it. */
export async function connectTo(
  url: string,
  scope: Scope,
  { user = {}, cluster = {}, options = {} }: ConnectTo = {},
): Promise<KubeClient> {
  await using folder = await tempDir("kube");
  return await connectCluster(
    { env: {}, ...options, kubeconfig: await writeConfig(folder, url, user, cluster) },
    scope,
  );
}

async function writeConfig(folder: TempDir, server: string, user: object, cluster: object): Promise<string> {
  const path = join(folder.path, "config");
  const config = {
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    clusters: [{ name: "test", cluster: { server, ...cluster } }],
    users: [{ name: "test", user }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}
