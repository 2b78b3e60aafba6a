import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { claim, volume } from "../../test/builders.ts";
import { nanosFrom } from "./quantity.ts";
import { type ResourcePolicies, resourcePoliciesFrom } from "./resource-policies.ts";

const read = (document: unknown): ResourcePolicies =>
  resourcePoliciesFrom({ namespace: "velero", name: "p", data: { p: JSON.stringify(document) } }, JSON.parse);
const policy = (conditions: object, type = "skip") =>
  read({ version: "v1", volumePolicies: [{ conditions, action: { type } }] });

const nfs = volume("pv", "a/data", { source: { nfs: { server: "s1", path: "/p1" } } });
const csi = volume("pv", "a/data", { source: { csi: { driver: "d1", volumeAttributes: { tier: "gold" } } } });
const pending: KubernetesObject = { ...claim("a/data", "", { labels: { app: "db" } }), status: { phase: "Pending" } };

const matches: Record<string, { conditions: object; want: boolean; pv?: KubernetesObject; pvc?: KubernetesObject }> = {
  "no conditions match everything": { conditions: {}, want: true },
  "capacity within both bounds": { conditions: { capacity: "512Mi,2Gi" }, want: true },
  "capacity at its bounds": { conditions: { capacity: "1Gi,1Gi" }, want: true },
  "capacity below": { conditions: { capacity: "2Gi," }, want: false },
  "capacity above": { conditions: { capacity: ",1Mi" }, want: false },
  "capacity open to both sides": { conditions: { capacity: "," }, want: true },
  "storage class among several": { conditions: { storageClass: ["slow", "fast"] }, want: true },
  "another storage class": { conditions: { storageClass: ["slow"] }, want: false },
  "any nfs": { conditions: { nfs: {} }, pv: nfs, want: true },
  "any nfs, but it is none": { conditions: { nfs: {} }, want: false },
  "nfs server and path": { conditions: { nfs: { server: "s1", path: "/p1" } }, pv: nfs, want: true },
  "another nfs path": { conditions: { nfs: { path: "/other" } }, pv: nfs, want: false },
  "any csi": { conditions: { csi: {} }, pv: csi, want: true },
  "csi driver with attributes": {
    conditions: { csi: { driver: "d1", volumeAttributes: { tier: "gold" } } },
    pv: csi,
    want: true,
  },
  "csi attribute of another value": {
    conditions: { csi: { driver: "d1", volumeAttributes: { tier: "tin" } } },
    pv: csi,
    want: false,
  },
  "another csi driver": { conditions: { csi: { driver: "d2" } }, pv: csi, want: false },
  "volume type": { conditions: { volumeTypes: ["nfs", "csi"] }, pv: csi, want: true },
  "another volume type": { conditions: { volumeTypes: ["nfs"] }, pv: csi, want: false },
  "claim labels": { conditions: { pvcLabels: { app: "db" } }, pvc: pending, want: true },
  "claim labels without a claim": { conditions: { pvcLabels: { app: "db" } }, want: false },
  "claim phase": { conditions: { pvcPhase: ["Lost", "Pending"] }, pvc: pending, want: true },
  "access modes in any order": { conditions: { pvcAccessModes: ["ReadWriteOnce"] }, pvc: pending, want: true },
  "fewer access modes": {
    conditions: { pvcAccessModes: ["ReadWriteOnce", "ReadOnlyMany"] },
    pvc: pending,
    want: false,
  },
  "all conditions together": { conditions: { storageClass: ["fast"], capacity: "2Gi," }, want: false },
};
describe("a volume policy matches by", () => {
  for (const [name, { conditions, want, pv = volume("pv", "a/data"), pvc }] of Object.entries(matches)) {
    test(name, () => {
      const action = policy(conditions).volumeAction({ volume: pv, claim: pvc });
      expect(action !== undefined).toBe(want);
    });
  }
});

test("the first match wins, and an unbound claim is matched alone", () => {
  const policies = read({
    version: "v1",
    volumePolicies: [
      { conditions: { pvcPhase: ["Pending"] }, action: { type: "skip" } },
      { conditions: {}, action: { type: "custom", parameters: { by: "us" } } },
    ],
  });
  expect(policies.volumeAction({ claim: pending })).toEqual({ type: "skip", parameters: {} });
  expect(policies.volumeAction({ volume: nfs })).toEqual({ type: "custom", parameters: { by: "us" } });
});

const refused: Record<string, { document: unknown; text: string }> = {
  "another version": { document: { version: "v2" }, text: "incompatible version number v2 with supported version v1" },
  "unknown keys": { document: { version: "v1", volumes: [] }, text: "field volumes not found" },
  "unknown conditions": {
    document: { version: "v1", volumePolicies: [{ conditions: { size: 1 }, action: { type: "skip" } }] },
    text: "field size not found",
  },
  "unknown actions": {
    document: { version: "v1", volumePolicies: [{ action: { type: "burn" } }] },
    text: "invalid action type burn",
  },
  "labels that are no map": {
    document: { version: "v1", volumePolicies: [{ conditions: { pvcLabels: ["a"] }, action: { type: "skip" } }] },
    text: "pvcLabels must be a map of string to string",
  },
  "attributes without a driver": {
    document: {
      version: "v1",
      volumePolicies: [{ conditions: { csi: { volumeAttributes: { a: "b" } } }, action: { type: "skip" } }],
    },
    text: "csi driver should not be empty",
  },
  "a capacity of one part": {
    document: { version: "v1", volumePolicies: [{ conditions: { capacity: "1Gi" }, action: { type: "skip" } }] },
    text: "wrong format of Capacity 1Gi",
  },
  "a capacity the wrong way round": {
    document: { version: "v1", volumePolicies: [{ conditions: { capacity: "2Gi,1Gi" }, action: { type: "skip" } }] },
    text: "illegal values for capacity",
  },
  "a star in lists": {
    document: { version: "v1", includeExcludePolicy: { includedClusterScopedResources: ["*"] } },
    text: "cannot use '*' in includes or excludes filters in the policy",
  },
  "one name in both lists": {
    document: {
      version: "v1",
      includeExcludePolicy: { includedNamespaceScopedResources: ["pods"], excludedNamespaceScopedResources: ["pods"] },
    },
    text: "excludes list cannot contain an item in the includes list: pods",
  },
};
describe("policies are refused for", () => {
  for (const [name, { document, text }] of Object.entries(refused)) {
    test(name, () => expect(() => read(document)).toThrow(text));
  }

  test("a ConfigMap with two keys, and text that is no YAML", () => {
    const at = { namespace: "velero", name: "p" };
    expect(() => resourcePoliciesFrom({ ...at, data: { a: "", b: "" } }, JSON.parse)).toThrow(
      "illegal resource policies velero/p configmap",
    );
    expect(() => resourcePoliciesFrom({ ...at, data: { a: "{" } }, JSON.parse)).toThrow("failed to decode yaml data");
  });
});

test("quantities are exact", () => {
  expect(nanosFrom("1Gi")).toBe(1073741824n * 1_000_000_000n);
  expect(nanosFrom("1.5Ki")).toBe(1536n * 1_000_000_000n);
  expect(nanosFrom("500m")).toBe(500_000_000n);
  expect(nanosFrom("1e3")).toBe(nanosFrom("1k"));
  expect(nanosFrom("9223372036854775807")).toBe(9223372036854775807n * 1_000_000_000n);
  for (const bad of ["", "Gi", "1 Gi", "1GiB", "one"]) expect(() => nanosFrom(bad)).toThrow("is no quantity");
});
