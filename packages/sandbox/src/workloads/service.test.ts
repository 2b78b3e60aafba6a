import { expect, test } from "vitest";
import { workload, workloadsWorld } from "../../test/workloads-world.ts";
import { listAt, textAt } from "../printing/read.ts";

test("a service lists the ready pods behind it", async () => {
  using it = workloadsWorld();
  it.port.create("services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "ns" },
    spec: { selector: { app: "x" }, ports: [{ name: "web", port: 80, targetPort: "http", protocol: "TCP" }] },
  });
  it.port.create("deployments.apps", workload("Deployment", { replicas: 2 }));
  await it.settled();
  const [subset] = listAt(it.one("endpoints", "s"), "subsets");
  expect(
    listAt(subset, "addresses")
      .map(({ ip }) => ip)
      .sort(),
  ).toEqual(
    it
      .pods()
      .map((pod) => textAt(pod, "status.podIP"))
      .sort(),
  );
  expect(listAt(subset, "ports")).toEqual([{ name: "web", port: 8080, protocol: "TCP" }]);
  const [slice] = it.port.list("endpointslices.discovery.k8s.io", "ns");
  expect(slice?.metadata.labels?.["kubernetes.io/service-name"]).toBe("s");
  expect(listAt(slice, "endpoints")).toHaveLength(2);
  it.port.delete("services", { namespace: "ns", name: "s" });
  await it.settled();
  expect([...it.port.list("endpoints", "ns"), ...it.port.list("endpointslices.discovery.k8s.io", "ns")]).toEqual([]);
});
