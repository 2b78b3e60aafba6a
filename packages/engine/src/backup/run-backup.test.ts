import { expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { claim, configMap, namespace, object, pod, volume } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { memoryPlugins } from "../../test/memory-plugins.ts";
import { volumeBackupActions, volumeBlockActions } from "../../test/volume-actions.ts";

test("a backup holds what was selected, and its files say so", async () => {
  const cluster = memoryCluster({
    objects: [
      namespace("shop"),
      namespace("other"),
      configMap("shop/settings"),
      configMap("other/settings"),
      pod("shop/web", { claims: ["data"] }),
      claim("shop/data", "pv-1"),
      volume("pv-1", "shop/data"),
      object("apps/v1", "Deployment", "shop/web"),
    ],
  });
  const plugins = memoryPlugins({ backup: volumeBackupActions(), block: volumeBlockActions() });
  const outcome = await backUp({ cluster, plugins, spec: { includedNamespaces: ["shop"] } });
  expect(outcome.result.status.failureReason).toBeUndefined();
  expect(outcome.results()).toEqual({ errors: {}, warnings: {} });
  expect(outcome.result.phase).toBe("Finalizing");
  expect(await outcome.paths()).toEqual([
    "configmaps shop/settings",
    "deployments.apps shop/web",
    "namespaces shop",
    "persistentvolumeclaims shop/data",
    "persistentvolumes pv-1",
    "pods shop/web",
  ]);
  expect(outcome.json("resourceList")).toEqual({
    "apps/v1/Deployment": ["shop/web"],
    "v1/ConfigMap": ["shop/settings"],
    "v1/Namespace": ["shop"],
    "v1/PersistentVolume": ["pv-1"],
    "v1/PersistentVolumeClaim": ["shop/data"],
    "v1/Pod": ["shop/web"],
  });
  expect(outcome.result.status.progress).toEqual({ totalItems: 6, itemsBackedUp: 6 });
  expect(outcome.ledger().map(({ outcome }) => outcome)).toEqual(Array(6).fill("stored"));
  expect(outcome.store.history).toEqual(expect.arrayContaining(["backups/b1/b1-logs.gz"]));
});
