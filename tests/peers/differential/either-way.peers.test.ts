import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentsOf, readClusterContents } from "./cluster-contents.ts";
import { differences } from "./differences.ts";
import { describeIgnored, type IgnoredPath, ignoredInRestores } from "./ignored-paths.ts";
import { quietControllers, startCluster } from "./rich-cluster.ts";
import { type BackupSource, type RestoreOutcomes, restoreIn, runRestores } from "./run-restores.ts";
import { prepareWorld, type RunServer, runJibe, runVelero } from "./servers.ts";
import { type RestoreSpec, readRestoreSpecs } from "./spec-file.ts";
import { runToEnd, useStorage } from "./storage.ts";
import type { Files } from "./stored-files.ts";

// Specs whose restore brings back all that was backed up, so that the cluster itself is what to compare with.
const specs = readRestoreSpecs().filter(({ name }) =>
  /^(plain|workloads|custom-resources|services|app-.*)$/.test(name),
);

const ignored: readonly IgnoredPath[] = [
  ...ignoredInRestores,
  {
    file: /^[a-z0-9.-]+\/[^/]*\/[^/]+$/,
    path: /^metadata\.labels\.velero\.io\/(backup|restore)-name$/,
    reason: "what every restored object bears",
  },
  { file: /./, path: /^metadata\.managedFields/, reason: "the restore is one more writer" },
  { file: /./, path: /^metadata\.generateName$/, reason: "names are kept, so that none has to be made" },
  { file: /^persistentvolumeclaims\//, path: /^metadata\.annotations\.pv\./, reason: "claims are bound anew" },
  { file: /^persistentvolumes\//, path: /volume-id$/, reason: "the volume was made from a snapshot" },
  { file: /^pods\//, path: /^status\.conditions/, reason: "the cluster runs the pod anew" },
  { file: /^[a-z]+\.[a-z-]+\.example\.io\//, path: /^status\./, reason: "status comes back on request alone" },
  { file: /^(configmaps|secrets)\//, path: /^metadata\.ownerReferences/, reason: "owners are not restored" },
];

/** One cluster, backed up by each server. */
interface Source {
  readonly contents: Files;
  readonly byVelero: BackupSource;
  readonly byJibe: BackupSource;
}

async function backUpByBoth(dir: string, scope: Scope): Promise<Source> {
  const objects = specs.flatMap((spec) => spec.objects);
  await using kubernetes = await startCluster({ objects, disabledControllers: quietControllers }, scope);
  const contents = await readClusterContents(kubernetes, scope);
  const backUp = async (name: string, server: RunServer): Promise<BackupSource> => {
    const root = join(kubernetes.dir, name, "store");
    await using _running = await server(await prepareWorld(kubernetes, name, scope), scope);
    await useStorage(kubernetes, root, scope);
    const backups = [];
    for (const spec of specs) backups.push(await runToEnd(kubernetes, backupOf(spec), scope));
    await cp(root, join(dir, name), { recursive: true });
    await kubernetes.kubectl(["delete", "backups.velero.io", "--all", "-n", "velero"]);
    return { dir: join(dir, name), backups };
  };
  return { contents, byVelero: await backUp("velero", runVelero), byJibe: await backUp("jibe", runJibe) };
}

function backupOf({ name, objects, backup }: RestoreSpec) {
  const includedNamespaces = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  return { kind: "Backup", name, spec: backup ?? { includedNamespaces } } as const;
}

describe("a backup of one server that the other restores brings back the cluster", () => {
  const scope = testScope();
  let dir: TempDir;
  let source: Source;
  let jibe: RestoreOutcomes;
  let velero: RestoreOutcomes;
  beforeAll(async () => {
    dir = await tempDir("either-way");
    source = await backUpByBoth(dir.path, scope);
    [jibe, velero] = await Promise.all([
      runRestores({ specs, server: runJibe, source: source.byVelero }, scope),
      runRestores({ specs, server: runVelero, source: source.byJibe }, scope),
    ]);
  }, 900_000);
  afterAll(async () => {
    scope[Symbol.dispose]();
    await dir?.[Symbol.asyncDispose]();
  });

  for (const { name } of specs) {
    const restoredTo = (outcomes: RestoreOutcomes) => restoreIn(outcomes, name).contents;
    test(`${name}, by Velero and then jibe`, () => {
      expect(differences(contentsOf(source.contents, name), restoredTo(jibe), ignored)).toEqual([]);
    });
    test(`${name}, by jibe and then Velero`, () => {
      expect(differences(contentsOf(source.contents, name), restoredTo(velero), ignored)).toEqual([]);
    });
  }

  test("compared with little left out, which it says", () => {
    expect(ignored.length).toBeLessThanOrEqual(25);
    process.stdout.write(describeIgnored(ignored));
  });
});
