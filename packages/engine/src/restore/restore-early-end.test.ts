import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, object } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { memoryStore } from "../../test/memory-store.ts";
import { commonTypes } from "../../test/memory-types.ts";
import { restoreWorld, type WorldOptions } from "../../test/restore-world.ts";

const twoWriters = [
  { manager: "a", operation: "Update" },
  { manager: "b", operation: "Apply" },
];
const backedUp = [
  configMap("shop/first", { labels: { acts: "yes" } }),
  {
    ...configMap("shop/second", { managedFields: twoWriters, annotations: { "velero.io/restore-status": "true" } }),
    status: { phase: "Done" },
  },
  object("v1", "Secret", "shop/brought"),
  object("apps/v1", "Deployment", "shop/last", { status: { replicas: 1 } }),
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "defined.example.io", {
    metadata: { annotations: { "velero.io/restore-status": "true" } },
    spec: { group: "example.io", names: { plural: "defined", kind: "Defined" }, versions: [] },
    status: { conditions: ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" })) },
  }),
];
const planned = ["first", "second", "brought", "last", "defined.example.io"];

/** The moments at which a restore is ended, by what it is about to do. */
const moments: Record<string, string> = {
  "before discovery is read": "discover",
  "while its archive is fetched": "store get backups/b1/b1.tar.gz",
  "while a namespace is looked for": "get namespaces shop",
  "while a namespace is made": "create namespaces shop",
  "while an action says what it wants": "applies to",
  "while an action works": "execute first",
  "while an additional item is made": "create secrets shop/brought",
  "while an action is asked whether items are ready": "ready?",
  "while an object is made": "create configmaps shop/first",
  "while field ownership is written": "patch configmaps shop/second",
  "while a status is written": "update status configmaps shop/second",
  "while a definition is waited for": "get customresourcedefinitions.apiextensions.k8s.io defined.example.io",
};

/** Moments at which all items are done: a cancel comes too late then, a stop does not. */
const lateMoments: Record<string, string> = {
  "while its log is stored": "store put restores/r1/restore-r1-logs.gz",
  "while its results are stored": "store put restores/r1/restore-r1-results.gz",
};

function worldEndedAt(moment: string, end: () => void, options: WorldOptions): WorldOptions {
  const fault = (call: string) => {
    if (call === moment) end();
  };
  const store = memoryStore({ fault: (call: string, key: string) => fault(`store ${call} ${key}`) });
  const secretId = { groupResource: "secrets", namespace: "shop", name: "brought" };
  const acting = restoreAction(
    "x/acts",
    { labelSelector: "acts=yes" },
    (item) => {
      fault(`execute ${item.metadata.name}`);
      return { additionalItems: [secretId], waitForAdditionalItems: true };
    },
    {
      areAdditionalItemsReady: async () => {
        fault("ready?");
        return true;
      },
    },
  );
  const action = {
    ...acting,
    appliesTo: async (...args: Parameters<typeof acting.appliesTo>) => {
      fault("applies to");
      return acting.appliesTo(...args);
    },
  };
  const priorities = { high: ["configmaps"], low: [] };
  return { ...options, backedUp, types: commonTypes, store, actions: [action], settings: { priorities }, fault };
}

describe("a restore that is canceled", () => {
  for (const [name, moment] of Object.entries(moments)) {
    test(`${name} ends as Failed, with at most one outcome an item and its files written`, async () => {
      using scope = testScope();
      const cancel = new AbortController();
      const options = worldEndedAt(moment, () => cancel.abort(new Error("by the user")), { cancel: cancel.signal });
      const world = await restoreWorld(options, scope);
      const { status } = await world.run();
      expect(cancel.signal.aborted).toBe(true);
      expect(status).toMatchObject({ phase: "Failed", failureReason: "by the user" });
      expect(world.file("log")).toContain("restore failed");
      const lines = world.ledger().map((line) => line.split(" ").slice(0, 2).join(" "));
      expect(lines).toEqual([...new Set(lines)]);
      expect(world.scratch.open.size).toBe(0);
    });
  }
});

describe("a restore whose server stops", () => {
  for (const [name, moment] of Object.entries({ ...moments, ...lateMoments })) {
    test(`${name} leaves nothing open, and is finished when it is run again`, async () => {
      using scope = testScope();
      using stopped = testScope();
      const status = { startTimestamp: "2026-01-01T00:00:00Z" };
      const first = await restoreWorld(
        worldEndedAt(moment, () => stopped.abort(new Error("server stops")), { status }),
        stopped,
      );
      await expect(first.run()).rejects.toThrow("server stops");
      expect(first.scratch.open.size).toBe(0);
      const again = worldEndedAt("never", () => {}, { status, cluster: first.cluster });
      const second = await restoreWorld(again, scope);
      const { status: ended } = await second.run();
      expect(ended).toMatchObject({ phase: "Finalizing", warnings: 0, errors: 0 });
      const made = second.ledger().filter((line) => line.endsWith(" created") || line.includes(" skipped already"));
      expect(planned.filter((each) => !made.some((line) => line.includes(each)))).toEqual([]);
    });
  }
});
