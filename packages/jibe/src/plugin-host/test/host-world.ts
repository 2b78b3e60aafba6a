import { chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bodyFromBytes } from "@jibe/engine";
import type { Backup, KubernetesObject, Restore } from "@jibe/plugin-sdk/contracts";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterEach, beforeEach } from "vitest";
import { type PluginHostSettings, startPluginHost } from "../index.ts";

const fixtures = join(import.meta.dirname, "../../../../plugin-sdk/test/fixtures");
const everyKind = join(fixtures, "every-kind.ts");
export const announcing = join(fixtures, "announcing.ts");

export const backup: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "daily" }, spec: {} };
export const restore: Restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "again" }, spec: {} };
export const pod = (annotations: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "shop", annotations },
});
export const body = (object: KubernetesObject) => bodyFromBytes(Buffer.from(JSON.stringify(object)));

export async function named<T extends { readonly name: string }>(
  list: Promise<readonly T[]>,
  name: string,
): Promise<T> {
  const found = (await list).find((entry) => entry.name === name);
  if (!found) throw new Error(`no action ${name}`);
  return found;
}

/** A folder of plugins for each test of a suite, and the host on it. */
export function pluginFolder() {
  let dir: TempDir;
  beforeEach(async () => {
    dir = await tempDir("plugins");
  });
  afterEach(() => dir[Symbol.asyncDispose]());
  return {
    path: (...names: readonly string[]) => join(dir.path, ...names),
    install: (name: string, target = everyKind) => symlink(target, join(dir.path, name)),
    script: async (name: string, text: string) => {
      await writeFile(join(dir.path, name), `#!/bin/sh\n${text}\n`);
      await chmod(join(dir.path, name), 0o755);
    },
    start: (settings: Partial<PluginHostSettings> = {}, scope = testScope()) =>
      startPluginHost({ pluginDir: dir.path, env: process.env, ...settings }, scope),
  };
}
