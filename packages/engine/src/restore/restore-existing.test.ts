import { AppError } from "@jibe/base";
import type { KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, object, pod } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld, type WorldOptions } from "../../test/restore-world.ts";

const ours = { "velero.io/backup-name": "b1", "velero.io/restore-name": "r1" };
const account = (more: Parameters<typeof object>[3] = {}) => object("v1", "ServiceAccount", "shop/sa", more);
const different =
  "could not restore, ConfigMap:x already exists. Warning: the in-cluster version is different than the backed-up version";

async function run(options: WorldOptions) {
  using scope = testScope();
  const world = await restoreWorld(
    { ...options, objects: [object("v1", "Namespace", "shop"), ...(options.objects ?? [])] },
    scope,
  );
  const result = await world.run();
  return { ...world, ...result };
}

interface Case {
  readonly inBackup: KubernetesObject;
  readonly inCluster: KubernetesObject;
  readonly spec?: RestoreSpec;
  readonly action: string;
  readonly warnings?: string[];
  readonly labels?: Record<string, string>;
  readonly writes?: string[];
}

const cases: Record<string, Case> = {
  "an equal object is left alone": {
    inBackup: configMap("shop/x"),
    inCluster: configMap("shop/x", { resourceVersion: "9" }),
    action: "skipped",
  },
  "who owns its fields is no difference": {
    inBackup: configMap("shop/x", { managedFields: [{ manager: "a", operation: "Update" }] }),
    inCluster: configMap("shop/x", { managedFields: [{ manager: "b", operation: "Apply" }] }),
    action: "skipped",
  },
  "a different one is a warning without policy": {
    inBackup: configMap("shop/x"),
    inCluster: { ...configMap("shop/x"), data: { key: "other" } },
    action: "failed",
    warnings: [different],
  },
  "and with the policy none": {
    inBackup: configMap("shop/x"),
    inCluster: { ...configMap("shop/x"), data: { key: "other" } },
    spec: { existingResourcePolicy: "none" },
    action: "failed",
    warnings: [different.replace("ConfigMap:x", 'ConfigMap "x"')],
  },
  "the policy update writes the difference and the labels": {
    inBackup: configMap("shop/x", { labels: { a: "1" } }),
    inCluster: { ...configMap("shop/x", { labels: { b: "2" } }), data: { key: "other", more: "1" } },
    spec: { existingResourcePolicy: "update" },
    action: "updated",
    labels: { a: "1", ...ours },
    writes: ["patch configmaps shop/x"],
  },
  "the policy update marks equal ones": {
    inBackup: configMap("shop/x"),
    inCluster: configMap("shop/x"),
    spec: { existingResourcePolicy: "update" },
    action: "skipped",
    labels: ours,
    writes: ["patch configmaps shop/x"],
  },
  "service accounts are merged, whatever the policy": {
    inBackup: account({ secrets: [{ name: "a" }, { name: "b" }], metadata: { labels: { l: "backup", m: "1" } } }),
    inCluster: account({ secrets: [{ name: "a" }, { name: "c" }], metadata: { labels: { l: "cluster" } } }),
    action: "updated",
    labels: { l: "cluster", m: "1" },
    writes: ["patch serviceaccounts shop/sa"],
  },
  "a service account that lacks nothing is left alone": {
    inBackup: account({ secrets: [{ name: "a" }] }),
    inCluster: account({ secrets: [{ name: "a" }, { name: "c" }], imagePullSecrets: [{ name: "p" }] }),
    action: "skipped",
  },
};

describe("on an object that exists", () => {
  for (const [name, { inBackup, inCluster, spec, action, warnings = [], labels, writes = [] }] of Object.entries(
    cases,
  )) {
    test(name, async () => {
      const world = await run({ backedUp: [inBackup], objects: [inCluster], ...(spec ? { spec } : {}) });
      expect(Object.values(JSON.parse(world.file("resourceList"))).flat()).toEqual([
        `shop/${inBackup.metadata.name}(${action})`,
      ]);
      expect(world.results.warnings).toEqual(warnings.length > 0 ? { namespaces: { shop: warnings } } : {});
      expect(world.results.errors).toEqual({});
      expect(world.cluster.calls.filter((call) => /^(patch|update)/.test(call))).toEqual(writes);
      const type = inBackup.kind === "ConfigMap" ? "configmaps" : "serviceaccounts";
      if (labels) expect(world.cluster.read(type, inBackup.metadata.name, "shop")?.metadata.labels).toEqual(labels);
    });
  }

  test("merged service accounts have the secrets of both", async () => {
    const { inBackup, inCluster } = cases["service accounts are merged, whatever the policy"] as Case;
    const world = await run({ backedUp: [inBackup], objects: [inCluster] });
    expect(world.cluster.read("serviceaccounts", "sa", "shop")?.["secrets"]).toEqual([
      { name: "a" },
      { name: "c" },
      { name: "b" },
    ]);
  });

  test("an update that is refused is a warning, and the labels are still written", async () => {
    let patches = 0;
    const fault = (call: string) => {
      if (call === "patch configmaps shop/x" && ++patches === 1)
        throw new AppError("InvalidArgument", "field is immutable");
    };
    const objects = [{ ...configMap("shop/x"), immutable: true }];
    const world = await run({
      backedUp: [configMap("shop/x")],
      objects,
      spec: { existingResourcePolicy: "update" },
      fault,
    });
    expect(world.results.warnings).toEqual({ namespaces: { shop: ["field is immutable"] } });
    expect(world.cluster.read("configmaps", "x", "shop")?.metadata.labels).toEqual(ours);
    expect(world.ledger()).toEqual(["configmaps shop/x failed"]);
  });

  test("a create that fails for another reason is an error, although the object exists", async () => {
    const fault = (call: string) => {
      if (call === "create configmaps shop/x") throw new AppError("PermissionDenied", "exceeded quota");
    };
    const world = await run({
      backedUp: [configMap("shop/x"), configMap("shop/y")],
      objects: [configMap("shop/x")],
      fault,
    });
    expect(world.results.errors).toEqual({
      namespaces: { shop: ["error restoring configmaps/shop/x: exceeded quota"] },
    });
    expect(world.ledger()).toEqual([
      "configmaps shop/x failed error restoring configmaps/shop/x: exceeded quota",
      "configmaps shop/y created",
    ]);
  });

  test("a service whose own ports are taken exists", async () => {
    const service = object("v1", "Service", "shop/web", { spec: { ports: [{ nodePort: 30080 }] } });
    const causes = [
      { reason: "Invalid", message: "provided port is already allocated", field: "spec.ports[0].nodePort" },
    ];
    const fault = (call: string) => {
      if (call === "create services shop/web")
        throw new AppError("InvalidArgument", "invalid", { fields: { code: 422, reason: "Invalid", causes } });
    };
    expect((await run({ backedUp: [service], objects: [service], fault })).status.errors).toBe(0);
    expect((await run({ backedUp: [service], fault })).results.errors).toEqual({
      namespaces: { shop: ["error restoring services/shop/web: invalid"] },
    });
  });

  test("an object that appears between the look and the create is compared like any other", async () => {
    using scope = testScope();
    const backedUp = ["equal", "other"].map((name) => configMap(`shop/${name}`));
    const world = await restoreWorld(
      {
        backedUp,
        objects: [object("v1", "Namespace", "shop")],
        fault: (call) => {
          if (call === "create configmaps shop/equal") world.cluster.add(configMap("shop/equal"));
          if (call === "create configmaps shop/other") {
            world.cluster.add({ ...configMap("shop/other"), data: { key: "by somebody else" } });
          }
        },
      },
      scope,
    );
    const { status } = await world.run();
    expect(status).toMatchObject({ errors: 0, warnings: 1 });
    expect(world.ledger()).toEqual([
      "configmaps shop/equal unchanged already exists and is the same",
      "configmaps shop/other skipped already exists and is different",
    ]);
    expect(world.cluster.read("configmaps", "other", "shop")?.["data"]).toEqual({ key: "by somebody else" });
  });
});

describe("where many exist", () => {
  const old = Array.from({ length: 40 }, (_, index) => configMap(`shop/c${String(index).padStart(2, "0")}`));
  const counts = ({ cluster }: { cluster: { calls: readonly string[] } }) =>
    ["create", "get", "list"].map(
      (call) => cluster.calls.filter((each) => each.startsWith(`${call} configmaps`)).length,
    );

  test("the next are looked up in a list, and what it lacks is created at once", async () => {
    const world = await run({
      backedUp: [...old, configMap("shop/new")],
      objects: old,
      settings: { concurrency: 1 },
    });
    expect(counts(world)).toEqual([9, 8, 1]);
    expect(world.status).toMatchObject({ warnings: 0, errors: 0 });
    expect(world.cluster.read("configmaps", "new", "shop")).toBeDefined();
  });

  test("one that a list shows as different is read itself before anything is said of it", async () => {
    const changed = { ...configMap("shop/c39"), data: { key: "other" } };
    const world = await run({ backedUp: old, objects: [...old.slice(0, -1), changed], settings: { concurrency: 1 } });
    expect(counts(world)).toEqual([8, 9, 1]);
    expect(world.results.warnings.namespaces?.["shop"]).toEqual([different.replace(":x ", ":c39 ")]);
  });

  test("the policy update still labels each of them", async () => {
    const spec = { existingResourcePolicy: "update" };
    const world = await run({ backedUp: old, objects: old, spec, settings: { concurrency: 1 } });
    expect(world.cluster.read("configmaps", "c39", "shop")?.metadata.labels).toEqual(ours);
  });

  test("where a list cannot be made they are read one by one", async () => {
    const world = await run({
      backedUp: old,
      objects: old,
      settings: { concurrency: 1 },
      fault: (call) => {
        if (call.startsWith("list ")) throw new AppError("PermissionDenied", "configmaps is forbidden");
      },
    });
    expect(counts(world)).toEqual([8, 40, 1]);
    expect(world.status).toMatchObject({ warnings: 0, errors: 0 });
  });

  test("another type is looked up at once", async () => {
    const more = Array.from({ length: 20 }, (_, index) => object("apps/v1", "Deployment", `shop/d${index}`));
    const world = await run({ backedUp: [...old, ...more], objects: [...old, ...more], settings: { concurrency: 1 } });
    const calls = world.cluster.calls.filter((call) => call.includes(" deployments.apps "));
    expect(calls).toEqual(["list deployments.apps shop"]);
  });
});

describe("what an earlier attempt of the same restore made", () => {
  const status = { startTimestamp: "2026-01-01T00:00:00Z" };
  test("counts as created, and what it lacks is done", async () => {
    const inBackup = configMap("shop/x", {
      managedFields: [
        { manager: "a", operation: "Update" },
        { manager: "b", operation: "Apply" },
      ],
    });
    const made = {
      ...configMap("shop/x", { labels: ours, creationTimestamp: "2026-01-02T00:00:00Z" }),
      data: { key: "changed since" },
    };
    const world = await run({ backedUp: [inBackup, configMap("shop/y")], objects: [made], status });
    expect(world.status).toMatchObject({ warnings: 0, errors: 0 });
    expect(JSON.parse(world.file("resourceList"))).toEqual({ "v1/ConfigMap": ["shop/x(created)", "shop/y(created)"] });
    expect(world.cluster.calls).toContain("patch configmaps shop/x");
  });

  test("is not mistaken for that of an older restore of the same name", async () => {
    const older = {
      ...configMap("shop/x", { labels: ours, creationTimestamp: "2025-01-01T00:00:00Z" }),
      data: { key: "other" },
    };
    const world = await run({ backedUp: [configMap("shop/x")], objects: [older], status });
    expect(world.status.warnings).toBe(1);
  });

  test("also when the answer to the create was lost", async () => {
    const lost = { wasLost: false };
    using scope = testScope();
    const world = await restoreWorld({ backedUp: [configMap("shop/x")], status }, scope);
    const create = world.cluster.create;
    world.cluster.create = async (type, request, inner) => {
      const body = await create(type, request, inner);
      if (type.resource !== "configmaps" || lost.wasLost) return body;
      lost.wasLost = true;
      throw new AppError("Unavailable", "connection reset");
    };
    const { status: ended } = await world.run();
    expect(ended).toMatchObject({ warnings: 0, errors: 0 });
    expect(world.ledger()).toEqual(["configmaps shop/x created", "namespaces shop created"]);
  });
});

describe("a created object", () => {
  const running = pod("shop/web", { status: { phase: "Running", podIP: "10.0.0.1" } });
  const statusCases: Record<string, { spec?: RestoreSpec; annotation?: string; restored: boolean }> = {
    "comes back without status": { restored: false },
    "with status, if the spec asks for its type": {
      spec: { restoreStatus: { includedResources: ["po"] } },
      restored: true,
    },
    "with status, if the spec asks for all types": { spec: { restoreStatus: {} }, restored: true },
    "without, if the spec excludes its type": {
      spec: { restoreStatus: { excludedResources: ["pods"] } },
      restored: false,
    },
    "with status, if its annotation says so": { annotation: " True ", restored: true },
    "without, if its annotation says no": { spec: { restoreStatus: {} }, annotation: "false", restored: false },
    "as the spec says, if its annotation says nothing known": {
      spec: { restoreStatus: {} },
      annotation: "maybe",
      restored: true,
    },
  };
  for (const [name, { spec, annotation, restored }] of Object.entries(statusCases)) {
    test(name, async () => {
      const annotations = annotation === undefined ? {} : { annotations: { "velero.io/restore-status": annotation } };
      const item = { ...running, metadata: { ...running.metadata, ...annotations } };
      const world = await run({ backedUp: [item], ...(spec ? { spec } : {}) });
      expect(world.cluster.read("pods", "web", "shop")?.["status"]).toEqual(restored ? running["status"] : undefined);
    });
  }

  test("a status that conflicts is written again; one that is refused is a warning", async () => {
    let attempts = 0;
    const conflict = await run({
      backedUp: [running],
      spec: { restoreStatus: {} },
      fault: (call) => {
        if (call.startsWith("update status") && ++attempts < 3) throw new AppError("Conflict", "changed");
      },
    });
    expect([conflict.status.warnings, attempts]).toEqual([0, 3]);
    const refused = await run({
      backedUp: [running],
      spec: { restoreStatus: {} },
      fault: (call) => {
        if (call.startsWith("update status")) throw new AppError("InvalidArgument", "no such field");
      },
    });
    expect(refused.results.warnings).toEqual({ namespaces: { shop: ["no such field"] } });
  });

  test("field ownership comes with the create when one manager had it all, else by a patch", async () => {
    const sole = [{ manager: "kubectl", operation: "Update", fieldsV1: {} }];
    const several = [...sole, { manager: "controller", operation: "Update", subresource: "status" }];
    using scope = testScope();
    const world = await restoreWorld(
      { backedUp: [configMap("shop/one", { managedFields: sole }), configMap("shop/two", { managedFields: several })] },
      scope,
    );
    const managers: unknown[] = [];
    const create = world.cluster.create;
    world.cluster.create = (type, request, inner) => {
      if (type.resource === "configmaps") managers.push([request.body.object.metadata.name, request.fieldManager]);
      return create(type, request, inner);
    };
    await world.run();
    expect(managers.sort()).toEqual([
      ["one", "kubectl"],
      ["two", undefined],
    ]);
    expect(world.cluster.calls.filter((call) => call.startsWith("patch"))).toEqual(["patch configmaps shop/two"]);
    expect(world.cluster.read("configmaps", "two", "shop")?.metadata.managedFields).toEqual(several);
  });

  test("has the name that the server made, if an action asks for one", async () => {
    const action = restoreAction("x/rename", {}, (item) => {
      const { name: _, ...metadata } = item.metadata;
      return { item: { ...item, metadata: { ...metadata, generateName: "cm-" } as never } };
    });
    const world = await run({ backedUp: [configMap("shop/x")], actions: [action] });
    expect(Object.values(JSON.parse(world.file("resourceList"))).flat()[0]).toMatch(/^shop\/cm-\d+\(created\)$/);
  });
});
