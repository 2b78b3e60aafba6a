import { cloneJson } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import type { Kubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences } from "./differences.ts";
import { expectOutcome } from "./expectations.ts";
import { ignoredInBackups } from "./ignored-paths.ts";
import { startRichCluster } from "./rich-cluster.ts";
import { type BackupOutcome, runBackups } from "./run-backups.ts";
import { runVelero } from "./servers.ts";
import { readBackupSpecs } from "./spec-file.ts";

const specs = readBackupSpecs();
const scope = testScope();
let kubernetes: Kubernetes;
let velero: ReadonlyMap<string, BackupOutcome>;

beforeAll(async () => {
  const [objects, deleted] = [specs.flatMap((spec) => spec.objects), specs.flatMap((spec) => spec.deleted)];
  kubernetes = await startRichCluster({ objects, deleted }, scope);
  velero = await runBackups({ kubernetes, specs, server: runVelero, run: "velero" }, scope);
}, 600_000);

afterAll(async () => {
  await kubernetes?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

describe("real Velero makes the backup that the spec file expects", () => {
  for (const spec of specs) {
    test(`${spec.name}: ${spec.about}`, () => {
      const outcome = velero.get(spec.name);
      if (!outcome) throw new Error("the backup was not made");
      const names = new Set([...outcome.files.keys()].map((file) => file.replace("archive/resources/", "")));
      expectOutcome({ object: outcome.backup, files: outcome.files, names }, spec.expect);
    });
  }
});

describe("the comparison", () => {
  test("finds nothing in a backup that is compared with itself, and one changed field of one item", () => {
    const files = velero.get("everything")?.files ?? new Map();
    expect(differences(files, files, ignoredInBackups)).toEqual([]);
    const changed = new Map(files);
    const path = "archive/resources/widgets.example.io/namespaces/shop/big.json";
    const item = cloneJson(files.get(path)) as { spec: { size: unknown } };
    item.spec.size = JSON.rawJSON("9007199254740992");
    changed.set(path, item);
    expect(differences(files, changed, ignoredInBackups)).toEqual([
      `${path} spec.size: 9007199254740993 ≠ 9007199254740992`,
    ]);
  });

  test("has a short table of what it ignores", () => {
    expect(ignoredInBackups.length).toBeLessThanOrEqual(25);
  });
});
