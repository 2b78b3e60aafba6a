import type { BackupAction } from "@jibe/engine";
import { expect, test } from "vitest";
import { knownPlugins } from "./known-plugins.ts";

test("a plugin on disk stands for the built-in one of its name, whatever its version", () => {
  const list = () => [
    { kind: "BackupItemActionV2" as const, name: "velero.io/pod", command: "/plugins/x" },
    { kind: "ObjectStore" as const, name: "example.io/store", command: "/plugins/x" },
  ];
  const backupActions = ["velero.io/pod", "velero.io/pv"].map((name) => ({ name }) as BackupAction);
  expect(knownPlugins({ list }, { backupActions, objectStores: ["velero.io/aws"] })).toEqual([
    { kind: "BackupItemActionV2", name: "velero.io/pod" },
    { kind: "ObjectStore", name: "example.io/store" },
    { kind: "BackupItemAction", name: "velero.io/pv" },
    { kind: "ObjectStore", name: "velero.io/aws" },
  ]);
});
