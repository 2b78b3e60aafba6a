import type { KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { object } from "@jibe/testkit";
import { expect, test } from "vitest";
import { onRestore } from "../test/execute.ts";
import { restoreService } from "./service.ts";

const lastApplied = (spec: unknown) => ({
  annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ spec }) },
});
const managed = (spec: unknown) => ({
  metadata: { managedFields: [{ manager: "m" }, { fieldsV1: { "f:spec": spec } }] },
});
const service = (spec: object, parts: object = {}) => object("v1", "Service", "svc", { spec, ...parts });
const web = { name: "web", port: 80, protocol: "TCP" };
const api = { name: "api", port: 81, protocol: "TCP" };
const unnamed = { port: 80, protocol: "TCP" };
const balancer = { type: "LoadBalancer", externalTrafficPolicy: "Local" };

interface Case {
  readonly before: object;
  /** The same as before when absent. */
  readonly after?: object;
  readonly parts?: object;
  readonly spec?: RestoreSpec;
  readonly fromBackup?: KubernetesObject;
}

const cases: Record<string, Case> = {
  "loses its addresses": {
    before: { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], type: "ClusterIP" },
    after: { type: "ClusterIP" },
  },
  "stays headless": { before: { clusterIP: "None", clusterIPs: ["None"] } },
  "loses node ports that nobody chose": {
    before: {
      ports: [
        { ...web, nodePort: 30000 },
        { ...unnamed, nodePort: 30001 },
      ],
    },
    after: { ports: [web, unnamed] },
  },
  "keeps node ports when the restore says so": {
    before: { ports: [{ ...web, nodePort: 30000 }], ...balancer, healthCheckNodePort: 30002 },
    spec: { preserveNodePorts: true },
  },
  "keeps ports of an external name": { before: { type: "ExternalName", ports: [{ ...web, nodePort: 30000 }] } },
  "keeps a named node port that was applied, whatever its number is now": {
    before: {
      ports: [
        { ...web, nodePort: 30000 },
        { ...api, nodePort: 30001 },
      ],
    },
    after: { ports: [{ ...web, nodePort: 30000 }, api] },
    parts: lastApplied({ ports: [{ name: "web", nodePort: 29999 }, { name: "api" }] }),
  },
  "keeps an unnamed node port that was applied with this number": {
    before: { ports: [{ ...unnamed, nodePort: 30000 }] },
    parts: lastApplied({ ports: [{ port: 80, nodePort: 30000 }] }),
  },
  "loses an unnamed node port that was applied with another number": {
    before: { ports: [{ ...unnamed, nodePort: 30000 }] },
    after: { ports: [unnamed] },
    parts: lastApplied({ ports: [{ port: 80, nodePort: 30009 }] }),
  },
  "takes a number in quotes for a number": {
    before: { ports: [{ ...unnamed, nodePort: 30000 }] },
    parts: lastApplied({ ports: [{ port: 80, nodePort: "30000" }] }),
  },
  "takes 0 for no choice": {
    before: { ports: [{ ...web, nodePort: 30000 }] },
    after: { ports: [web] },
    parts: lastApplied({ ports: [{ name: "web", nodePort: 0 }] }),
  },
  "does not look at owners when there is an applied configuration": {
    before: { ports: [{ ...web, nodePort: 30000 }] },
    after: { ports: [web] },
    parts: {
      ...lastApplied({}),
      ...managed({ "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:nodePort": {} } } }),
    },
  },
  "keeps a node port that somebody owns": {
    before: {
      ports: [
        { ...web, nodePort: 30000 },
        { ...api, nodePort: 30001 },
      ],
    },
    after: { ports: [{ ...web, nodePort: 30000 }, api] },
    parts: managed({
      "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:nodePort": {} }, 'k:{"port":81,"protocol":"TCP"}': {} },
    }),
  },
  "finds owners in the backup's copy when the item has none": {
    before: { ports: [{ ...web, nodePort: 30000 }] },
    fromBackup: service({}, managed({ "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:nodePort": {} } } })),
  },
  "loses a health check port that nobody chose": {
    before: { ...balancer, healthCheckNodePort: 30002 },
    after: balancer,
  },
  "keeps a health check port that was applied": {
    before: { ...balancer, healthCheckNodePort: 30002 },
    parts: lastApplied({ healthCheckNodePort: 30002 }),
  },
  "keeps a health check port that somebody owns": {
    before: { ...balancer, healthCheckNodePort: 30002 },
    parts: managed({ "f:healthCheckNodePort": {} }),
  },
  "keeps a health check port where it has no meaning": { before: { type: "NodePort", healthCheckNodePort: 30002 } },
};
for (const [name, { before, after, parts = {}, ...more }] of Object.entries(cases)) {
  test(`a restored service ${name}`, async () => {
    const item = service(before, parts);
    const output = await onRestore(restoreService, item, more);
    if (after) expect(output.item).toEqual(service(after, parts));
    else expect(output.item).toBe(item);
  });
}

test("a port that is written in an odd way is still a port", async () => {
  const ports = [{ ...unnamed, port: JSON.rawJSON("8e1"), nodePort: JSON.rawJSON("30000.0") }];
  const item: KubernetesObject = {
    ...service({}, lastApplied({ ports: [{ port: 80, nodePort: 30000 }] })),
    spec: { ports },
  };
  expect((await onRestore(restoreService, item)).item).toBe(item);
  const broken: KubernetesObject = { ...service({}), spec: { ports: [{ port: {}, nodePort: [] }, null, 7] } };
  expect((await onRestore(restoreService, broken)).item["spec"]).toEqual({ ports: [{ port: {} }, null, 7] });
});

test("a broken last applied configuration is an error of that service", async () => {
  const item = service({}, { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{broken" } });
  await expect(onRestore(restoreService, item)).rejects.toMatchObject({ code: "InvalidArgument" });
});
