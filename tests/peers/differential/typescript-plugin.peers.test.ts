import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testScope } from "@jibe/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { differences } from "./differences.ts";
import { expectOutcome } from "./expectations.ts";
import { ignoredInBackups, ignoredInRestores } from "./ignored-paths.ts";
import { normalised } from "./normalise.ts";
import { quietControllers, startCluster } from "./rich-cluster.ts";
import { type BackupOutcome, type BackupOutcomes, outcomeIn, runBackups } from "./run-backups.ts";
import { type RestoreOutcome, type RestoreOutcomes, restoreIn, runRestores } from "./run-restores.ts";
import { type RunServer, runJibe, runVelero } from "./servers.ts";
import type { BackupSpec, DataObject, RestoreSpec } from "./spec-file.ts";

const name = "typescript";
const plugin = join(import.meta.dirname, "../../../examples/plugins/complete/plugin.ts");
const about = "The example plugin's actions start operations that end after a while.";
const objects: readonly DataObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "archived", namespace: name, labels: { "example.io/archive": "3" } },
    data: { word: "sesame" },
  },
];
const backupSpec: BackupSpec = {
  ...{ name, about, objects, deleted: [], backup: { includedNamespaces: [name] } },
  expect: {
    status: { phase: "Completed", backupItemOperationsAttempted: 1, backupItemOperationsCompleted: 1 },
    has: [`configmaps/namespaces/${name}/archived.json`],
  },
};
const restoreSpec: RestoreSpec = {
  ...{ name, about, objects, target: [], restore: {} },
  expect: { status: { phase: "Completed", restoreItemOperationsAttempted: 1, restoreItemOperationsCompleted: 1 } },
};

/** The same server with our plugin beside the others. */
const withExample =
  (server: RunServer): RunServer =>
  async (world, inner) => {
    const script = `#!/bin/sh\nEXAMPLE_STATE_DIR='${world.stateDir}' exec '${process.execPath}' '${plugin}' "$@"\n`;
    await writeFile(join(world.pluginDir, "example"), script, { mode: 0o755 });
    return server(world, inner);
  };
const servers = { velero: withExample(runVelero), jibe: withExample(runJibe) };

const scope = testScope();
let backups: Record<keyof typeof servers, BackupOutcomes>;
let restores: Record<keyof typeof servers, RestoreOutcomes>;

beforeAll(async () => {
  await using kubernetes = await startCluster({ objects, disabledControllers: quietControllers }, scope);
  const back = (run: keyof typeof servers) =>
    runBackups({ kubernetes, specs: [backupSpec], server: servers[run], run }, scope);
  backups = { velero: await back("velero"), jibe: await back("jibe") };
  const dir = join(kubernetes.dir, "velero", "store");
  const source = { dir, backups: [outcomeIn(backups.velero, name).backup] };
  const restore = (run: keyof typeof servers) =>
    runRestores({ specs: [restoreSpec], server: servers[run], source }, scope);
  restores = { velero: await restore("velero"), jibe: await restore("jibe") };
}, 900_000);
afterAll(() => scope[Symbol.dispose]());

test("a TypeScript plugin's operations give the same backup under Velero and under jibe", () => {
  const [theirs, ours] = [outcomeIn(backups.velero, name), outcomeIn(backups.jibe, name)];
  const names = new Set([...theirs.files.keys()].map((file) => file.replace("archive/resources/", "")));
  expectOutcome({ object: theirs.backup, files: theirs.files, names }, backupSpec.expect);
  const asFiles = ({ backup, files }: BackupOutcome) => normalised(new Map([...files, ["Backup", backup]]));
  expect(differences(asFiles(theirs), asFiles(ours), ignoredInBackups)).toEqual([]);
});

test("a TypeScript plugin's operations give the same restore under Velero and under jibe", () => {
  const [theirs, ours] = [restoreIn(restores.velero, name), restoreIn(restores.jibe, name)];
  const { restore: object, files, contents } = theirs;
  expectOutcome({ object, files, names: new Set(contents.keys()) }, restoreSpec.expect);
  const asFiles = ({ restore, files: own, contents: left }: RestoreOutcome) =>
    normalised(new Map([...own, ...left, ["Restore", restore]]));
  expect(differences(asFiles(theirs), asFiles(ours), ignoredInRestores)).toEqual([]);
});
