import { AppError } from "@jibe/base";
import type { Backup, Restore, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { backup } from "../../test/builders.ts";
import { nonRestorableResources, prepareRestore, type RestoreSurroundings } from "./prepare-restore.ts";

const named = (name: string, status: Backup["status"] = {}, labels = {}): Backup => ({
  ...backup(name, { storageLocation: "default" }, { labels }),
  status: status ?? {},
});
const known = [
  named("b1"),
  named("from-schedule", {}, { "velero.io/schedule-name": "nightly" }),
  { ...named("lost-location"), spec: { storageLocation: "gone" } },
  { ...named("down-location"), spec: { storageLocation: "down" } },
];
const scheduled = [
  named("old", { phase: "Completed", startTimestamp: "2026-01-01T00:00:00Z" }),
  named("b1", { phase: "Completed", startTimestamp: "2026-01-02T00:00:00Z" }),
  named("newer", { phase: "PartiallyFailed", startTimestamp: "2026-01-03T00:00:00Z" }),
];
const rules = {
  version: "v1",
  resourceModifierRules: [{ conditions: { groupResource: "pods" }, patches: [{ operation: "remove", path: "/spec" }] }],
};
const filters = { clusterScopedFilterPolicy: { resourceFilters: [{ kinds: ["clusterroles"] }] } };
const configMaps: Record<string, { data?: Record<string, string> }> = {
  good: { data: { rules: JSON.stringify(rules) } },
  broken: { data: { rules: "{" } },
  unknown: { data: { rules: JSON.stringify({ ...rules, extra: 1 }) } },
  empty: { data: { rules: JSON.stringify({ version: "v1", resourceModifierRules: [] }) } },
  two: { data: { a: "", b: "" } },
  filters: { data: { p: JSON.stringify({ version: "v1", ...filters }) } },
  volumes: { data: { p: JSON.stringify({ version: "v1", volumePolicies: [{ action: { type: "skip" } }] }) } },
  lists: { data: { p: JSON.stringify({ version: "v1", includeExcludePolicy: {} }) } },
};
const surroundings: RestoreSurroundings = {
  findBackup: (name) => known.find(({ metadata }) => metadata.name === name),
  backupsOfSchedule: (schedule) =>
    schedule === "nightly" ? scheduled : schedule === "failing" ? scheduled.slice(2) : [],
  findLocation: (name) => ({ default: { phase: "Available" }, down: { phase: "Unavailable" } })[name],
  findConfigMap: (name) => configMaps[name],
  parseYaml: (text) => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new AppError("InvalidArgument", "unexpected end of the stream", { cause });
    }
  },
  defaultItemOperationTimeout: "4h0m0s",
};
const prepare = (spec: RestoreSpec) =>
  prepareRestore(
    { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r", namespace: "velero" }, spec } as Restore,
    surroundings,
  );

describe("prepareRestore", () => {
  test("completes a valid spec", () => {
    const prepared = prepare({ backupName: "b1", excludedResources: ["nodes", "pods"] });
    expect(prepared.validationErrors).toEqual([]);
    expect(prepared.backup?.metadata.name).toBe("b1");
    expect(prepared.spec).toEqual({
      backupName: "b1",
      excludedResources: ["nodes", "pods", ...nonRestorableResources.filter((name) => name !== "nodes")],
      itemOperationTimeout: "4h0m0s",
    });
  });

  test("takes the latest completed backup of a schedule, and names the schedule of a backup", () => {
    expect(prepare({ scheduleName: "nightly" })).toMatchObject({
      validationErrors: [],
      spec: { backupName: "b1", scheduleName: "nightly" },
    });
    expect(prepare({ backupName: "from-schedule" }).spec.scheduleName).toBe("nightly");
  });

  test("reads filter policies", () => {
    const prepared = prepare({ backupName: "b1", resourcePolicy: { kind: "configmap", name: "filters" } });
    expect(prepared.policies?.clusterScoped.map(({ kinds }) => kinds)).toEqual([["clusterroles"]]);
  });

  test("reads resource modifiers", () => {
    expect(
      prepare({ backupName: "b1", resourceModifier: { kind: "ConfigMap", name: "good" } }).modifiers?.rules,
    ).toHaveLength(1);
    expect(prepare({ backupName: "b1", resourceModifier: { kind: "Secret", name: "good" } }).modifiers).toBeUndefined();
  });

  const container = { name: "c", image: "i", command: ["x"] };
  const hooked = (initContainers: Record<string, unknown>[]): RestoreSpec => ({
    backupName: "b1",
    hooks: { resources: [{ name: "h", postHooks: [{ init: { initContainers } }] }] },
  });
  const modified = (name: string): RestoreSpec => ({ backupName: "b1", resourceModifier: { kind: "configmap", name } });
  const filtered = (name: string): RestoreSpec => ({ backupName: "b1", resourcePolicy: { kind: "ConfigMap", name } });
  const cases: Record<string, { spec: RestoreSpec; errors: (string | RegExp)[] }> = {
    "types that are never restored": {
      spec: { backupName: "b1", includedResources: ["nodes"] },
      errors: [
        "nodes are non-restorable resources",
        "Invalid included/excluded resource lists: excludes list cannot contain an item in the includes list: nodes",
      ],
    },
    "a star beside other types": {
      spec: { backupName: "b1", includedResources: ["*", "pods"] },
      errors: [
        "Invalid included/excluded resource lists: includes list must either contain '*' only, or a non-empty list of items",
      ],
    },
    "a star among excluded namespaces": {
      spec: { backupName: "b1", excludedNamespaces: ["*"] },
      errors: ["Invalid included/excluded namespace lists: excludes list cannot contain '*'"],
    },
    "a namespace in both lists": {
      spec: { backupName: "b1", includedNamespaces: ["a"], excludedNamespaces: ["a"] },
      errors: [
        "Invalid included/excluded namespace lists: excludes list cannot contain an item in the includes list: a",
      ],
    },
    "two kinds of label selectors": {
      spec: { backupName: "b1", labelSelector: {}, orLabelSelectors: [] },
      errors: ["encountered labelSelector as well as orLabelSelectors in restore spec, only one can be specified"],
    },
    "no source": {
      spec: {},
      errors: ["Either a backup or schedule must be specified as a source for the restore, but not both"],
    },
    "two sources": {
      spec: { backupName: "b1", scheduleName: "nightly" },
      errors: ["Either a backup or schedule must be specified as a source for the restore, but not both"],
    },
    "an init container without image": {
      spec: hooked([container, { ...container, image: "" }]),
      errors: [
        `invalid init container in restore hook "h": invalid InitContainer in restore hook, it doesn't have Command, Name or Image field`,
      ],
    },
    "an unknown policy": {
      spec: { backupName: "b1", existingResourcePolicy: "Update" },
      errors: ["Invalid ExistingResourcePolicy: Update"],
    },
    "a schedule without backups": {
      spec: { scheduleName: "none" },
      errors: ["No backups found for schedule", "No completed backups found for schedule"],
    },
    "a schedule without a completed backup": {
      spec: { scheduleName: "failing" },
      errors: ["No completed backups found for schedule"],
    },
    "a backup that is not there": {
      spec: { backupName: "absent" },
      errors: [`Error retrieving backup: can't find backup velero/absent: Backup.velero.io "absent" not found`],
    },
    "a location that is not there": {
      spec: { backupName: "lost-location" },
      errors: [`Error retrieving backup: backupstoragelocations.velero.io "gone" not found`],
    },
    "a location that is down": {
      spec: { backupName: "down-location" },
      errors: ["The BSL down is unavailable, cannot retrieve the backup"],
    },
    "modifiers that are not there": {
      spec: modified("absent"),
      errors: ["failed to get resource modifiers configmap velero/absent"],
    },
    "modifiers that are no YAML": {
      spec: modified("broken"),
      errors: [
        /^Error in parsing resource modifiers provided in configmap velero\/broken: failed to decode yaml data into resource modifiers, err: unexpected/,
      ],
    },
    "modifiers with an unknown field": {
      spec: modified("unknown"),
      errors: [/^Error in parsing .*unknown field "extra"/],
    },
    "modifiers without rules": {
      spec: modified("empty"),
      errors: [
        "Validation error in resource modifiers provided in configmap velero/empty: resource modifier rules cannot be empty",
      ],
    },
    "policies of another kind": {
      spec: { backupName: "b1", resourcePolicy: { kind: "Secret", name: "filters" } },
      errors: [
        'invalid restore resource policies: invalid ResourcePolicy kind "Secret", only "configmap" is supported',
      ],
    },
    "policies that are not there": {
      spec: filtered("absent"),
      errors: [
        'invalid restore resource policies: fail to get ResourcePolicies velero/absent ConfigMap: ConfigMap "absent" not found',
      ],
    },
    "policies for volumes": {
      spec: filtered("volumes"),
      errors: [
        "invalid restore resource policies: fail to validate ResourcePolicies in ConfigMap velero/volumes: volumePolicies are not supported for restore",
      ],
    },
    "lists in policies": {
      spec: filtered("lists"),
      errors: [/includeExcludePolicy is not supported for restore$/],
    },
    "policies in a configmap with two entries": {
      spec: filtered("two"),
      errors: [
        "invalid restore resource policies: fail to read the ResourcePolicies from ConfigMap velero/two: illegal resource policies velero/two configmap",
      ],
    },
    "a configmap with two entries": { spec: modified("two"), errors: [/^Error in parsing .*exactly one entry/] },
    "several things at once": {
      spec: { backupName: "b1", existingResourcePolicy: "x", excludedNamespaces: ["*"] },
      errors: [
        "Invalid included/excluded namespace lists: excludes list cannot contain '*'",
        "Invalid ExistingResourcePolicy: x",
      ],
    },
  };
  for (const [name, { spec, errors }] of Object.entries(cases)) {
    test(`refuses ${name}`, () => {
      const prepared = prepare(spec);
      expect(prepared.validationErrors).toEqual(
        errors.map((error) => (error instanceof RegExp ? expect.stringMatching(error) : error)),
      );
      expect(prepared.spec.itemOperationTimeout).toBe("4h0m0s");
    });
  }
});
