import { expect, test } from "vitest";
import {
  boundVolume,
  crd,
  customResource,
  deployment,
  ownerReference,
  pod,
  podWithClaims,
} from "./kubernetes-objects.ts";

test("a builder gives a whole object, and what the test names wins", () => {
  expect(pod("web", { namespace: "shop", labels: { app: "web" }, spec: { nodeName: "node-1" } })).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "registry.example.com/app:1" }], nodeName: "node-1" },
  });
});

test("two objects share nothing", () => {
  const [first, second] = [deployment("a"), deployment("a")];
  first.metadata.labels = { changed: "yes" };
  (first["spec"] as { template: { spec: { containers: object[] } } }).template.spec.containers.length = 0;
  expect(second).toEqual(deployment("a"));
});

test("a pod mounts its claims, and a bound volume knows its claim", () => {
  expect(podWithClaims("db", ["data"])).toMatchObject({
    spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
  });
  const [volume, claim] = boundVolume("pv-1", { namespace: "shop", name: "data" });
  expect(volume).toMatchObject({ spec: { claimRef: { namespace: "shop", name: "data" } } });
  expect(claim).toMatchObject({ spec: { volumeName: "pv-1" } });
});

test("a definition stores its first version, and its objects have its group", () => {
  const type = { group: "example.com", kind: "Widget", plural: "widgets" };
  expect(crd({ ...type, versions: ["v2", "v1"] })).toMatchObject({
    metadata: { name: "widgets.example.com" },
    spec: {
      versions: [
        { name: "v2", storage: true },
        { name: "v1", storage: false },
      ],
    },
  });
  const widget = customResource(type, "one", { metadata: { uid: "u-1" } });
  expect(ownerReference(widget)).toEqual({
    apiVersion: "example.com/v1",
    kind: "Widget",
    name: "one",
    uid: "u-1",
    controller: true,
  });
});
