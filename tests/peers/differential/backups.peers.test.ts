import { cloneJson } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import type { Kubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences } from "./differences.ts";
import { expectOrder, expectOutcome } from "./expectations.ts";
import { describeIgnored, ignoredInBackups, withMeant } from "./ignored-paths.ts";
import { normalised } from "./normalise.ts";
import { startRichCluster } from "./rich-cluster.ts";
import { type BackupOutcome, type BackupOutcomes, outcomeIn, runBackups } from "./run-backups.ts";
import { runJibe, runVelero } from "./servers.ts";
import { readBackupSpecs } from "./spec-file.ts";

// JIBE_SPECS=one-namespace,everything runs only those.
const chosen = process.env["JIBE_SPECS"]?.split(",");
const specs = readBackupSpecs().filter(({ name }) => name === "everything" || !chosen || chosen.includes(name));
const scope = testScope();
let kubernetes: Kubernetes;
let velero: BackupOutcomes;
let jibe: BackupOutcomes;

beforeAll(async () => {
  const [objects, deleted] = [specs.flatMap((spec) => spec.objects), specs.flatMap((spec) => spec.deleted)];
  kubernetes = await startRichCluster({ objects, deleted }, scope);
  velero = await runBackups({ kubernetes, specs, server: runVelero, run: "velero" }, scope);
  jibe = await runBackups({ kubernetes, specs, server: runJibe, run: "jibe" }, scope);
}, 900_000);

afterAll(async () => {
  await kubernetes?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

describe("real Velero makes the backup that the spec file expects", () => {
  for (const spec of specs) {
    test(`${spec.name}: ${spec.about}`, () => {
      const outcome = outcomeIn(velero, spec.name);
      const names = new Set([...outcome.files.keys()].map((file) => file.replace("archive/resources/", "")));
      expectOutcome({ object: outcome.backup, files: outcome.files, names }, spec.expect);
      expectOrder(outcome.files, spec.expect);
    });
  }
});

describe("jibe makes the same backup as real Velero", () => {
  for (const spec of specs) {
    test(`${spec.name}: ${spec.about}`, () => {
      const [theirs, ours] = [outcomeIn(velero, spec.name), outcomeIn(jibe, spec.name)];
      const asFiles = ({ backup, files }: BackupOutcome) => normalised(new Map([...files, ["Backup", backup]]));
      expect(differences(asFiles(theirs), asFiles(ours), withMeant(ignoredInBackups, spec.better))).toEqual([]);
      expectOrder(ours.files, spec.expect);
    });
  }
});

describe("the comparison", () => {
  test("finds nothing in a backup that is compared with itself, and one changed field of one item", () => {
    const { files } = outcomeIn(velero, "everything");
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

  test("ignores little, and says what", () => {
    expect(ignoredInBackups.length).toBeLessThanOrEqual(25);
    process.stdout.write(describeIgnored(ignoredInBackups));
  });
});
