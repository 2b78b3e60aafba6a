import { defaultRestoreSettings } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { clusterOf } from "../../actions/test/cluster-of.ts";
import { withVersionPriorities } from "./version-priorities.ts";

const wishes = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "enableapigroupversions", namespace: "velero" },
  data: { restoreResourcesVersionPriority: "things.example.io=v1" },
};
const settings = { ...defaultRestoreSettings, enableApiGroupVersions: true };

test("the versions that the user puts first are read from their ConfigMap", async () => {
  using scope = testScope();
  const found = await withVersionPriorities(settings, "velero", { cluster: clusterOf([wishes]) }, scope);
  expect(found.versionPriorities).toBe("things.example.io=v1");
});

test("without that ConfigMap no version comes first", async () => {
  using scope = testScope();
  const found = await withVersionPriorities(settings, "velero", { cluster: clusterOf([]) }, scope);
  expect(found.versionPriorities).toBe("");
});

test("nothing is read while the feature is off", async () => {
  using scope = testScope();
  const cluster = clusterOf([wishes]);
  expect(await withVersionPriorities(defaultRestoreSettings, "velero", { cluster }, scope)).toBe(
    defaultRestoreSettings,
  );
  expect(cluster.calls).toEqual([]);
});
