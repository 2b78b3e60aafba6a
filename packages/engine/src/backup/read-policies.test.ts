import type { Backup } from "@jibe/plugin-sdk/contracts";
import { expect, test } from "vitest";
import { type PolicySources, readPolicies } from "./read-policies.ts";

const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b1", namespace: "velero" },
  spec: { resourcePolicy: { kind: "configmap", name: "own" } },
};
const configMap = (name: string, document: object) => ({
  value: { namespace: "velero", name, data: { policies: JSON.stringify(document) } },
});
const policy = (storageClass: string, type: string) => ({
  conditions: { storageClass: [storageClass] },
  action: { type },
});
const own = configMap("own", { version: "v1", volumePolicies: [policy("fast", "snapshot")] });
const shared = {
  name: "shared",
  configMap: configMap("shared", { version: "v1", volumePolicies: [policy("fast", "skip"), policy("slow", "skip")] }),
};
const read = (sources: Partial<PolicySources>) =>
  readPolicies({ backup, parseYaml: (text) => JSON.parse(text) as unknown, ...sources });
const volume = (storageClassName: string) => ({
  volume: {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: { storageClassName, capacity: { storage: "1Gi" } },
  },
});

test("a backup's own volume policies come before those for every backup", () => {
  const { policies, errors } = read({ policyConfigMap: own, globalPolicies: shared });
  expect(errors).toEqual([]);
  expect(policies?.volumeAction(volume("fast"))?.type).toBe("snapshot");
  expect(policies?.volumeAction(volume("slow"))?.type).toBe("skip");
  expect(policies?.volumeAction(volume("other"))).toBeUndefined();
});

test("a backup without policies of its own has those for every backup", () => {
  expect(read({ globalPolicies: shared }).policies?.volumeAction(volume("fast"))?.type).toBe("skip");
});

test("of the policies for every backup only those for volumes count, and that is said", () => {
  const includeExcludePolicy = { excludedNamespaceScopedResources: ["secrets"] };
  const lists = { name: "shared", configMap: configMap("shared", { version: "v1", includeExcludePolicy }) };
  const { policies, warnings } = read({ globalPolicies: lists });
  expect(policies?.includeExclude).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining("velero/shared only the volume policies count")]);
});

test("policies for every backup that are missing or wrong fail the backup", () => {
  const missing = read({ globalPolicies: { name: "shared", configMap: { error: new Error("not found") } } });
  const wrong = read({ globalPolicies: { name: "shared", configMap: configMap("shared", { version: "v2" }) } });
  expect([...missing.errors, ...wrong.errors]).toEqual([
    "invalid resource policies: fail to get global backup volume policies ConfigMap velero/shared: not found",
    "invalid resource policies: fail to read global backup volume policies ConfigMap velero/shared: incompatible version number v2 with supported version v1",
  ]);
});
