import { expect, test } from "vitest";
import { backup } from "../../test/builders.ts";
import { encodeBackup } from "./encode-backup.ts";

test("keys come in Velero's order, empty values are left out, nested structs stay, HTML is escaped", () => {
  const given = backup(
    "b1",
    {
      snapshotVolumes: false,
      ttl: "720h0m0s",
      includedNamespaces: ["a<b"],
      excludedNamespaces: [],
      orderedResources: { pods: "a/x", deployments: "a/y" },
      labelSelector: null,
    },
    { labels: { b: "2", a: "1" }, resourceVersion: "7" },
  );
  const encoded = encodeBackup({ ...given, status: { phase: "Finalizing", version: 1, warnings: 0, progress: {} } });
  expect(encoded).toBe(
    `{
  "kind": "Backup",
  "apiVersion": "velero.io/v1",
  "metadata": {
    "name": "b1",
    "namespace": "velero",
    "uid": "uid-of-b1",
    "resourceVersion": "7",
    "labels": {
      "a": "1",
      "b": "2"
    }
  },
  "spec": {
    "metadata": {},
    "includedNamespaces": [
      "a\\u003cb"
    ],
    "snapshotVolumes": false,
    "ttl": "720h0m0s",
    "hooks": {},
    "orderedResources": {
      "deployments": "a/y",
      "pods": "a/x"
    },
    "csiSnapshotTimeout": "0s",
    "itemOperationTimeout": "0s"
  },
  "status": {
    "version": 1,
    "phase": "Finalizing",
    "progress": {}
  }
}`,
  );
});

test("keys that Velero does not know are kept, after those it knows", () => {
  const given = backup("b1", { cancel: true });
  expect(Object.keys(JSON.parse(encodeBackup({ ...given, extra: 1 })))).toEqual([
    "kind",
    "apiVersion",
    "metadata",
    "spec",
    "status",
    "extra",
  ]);
  expect(JSON.parse(encodeBackup(given)).spec.cancel).toBe(true);
});

test("a policy without a group has it as null", () => {
  const encoded = encodeBackup(backup("b1", { resourcePolicy: { kind: "configmap", name: "p" } }));
  expect(JSON.parse(encoded).spec.resourcePolicy).toEqual({ apiGroup: null, kind: "configmap", name: "p" });
});
