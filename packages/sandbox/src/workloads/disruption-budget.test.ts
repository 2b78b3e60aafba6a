import { describe, expect, test } from "vitest";
import { workload, workloadsWorld } from "../../test/workloads-world.ts";
import { objectAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";

describe("a disruption budget", () => {
  const budget = (spec: object): KubeObject => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "ns" },
    spec: { selector: { matchLabels: { app: "x" } }, ...spec },
  });
  const cases: Record<string, { spec: object; allowed: number }> = {
    "that asks for a number allows the others": { spec: { minAvailable: 1 }, allowed: 2 },
    "that asks for a share rounds it up": { spec: { minAvailable: "50%" }, allowed: 1 },
    "that limits the missing allows as many": { spec: { maxUnavailable: 1 }, allowed: 1 },
    "that asks for more than there are allows none": { spec: { minAvailable: 5 }, allowed: 0 },
  };
  for (const [name, { spec, allowed }] of Object.entries(cases)) {
    test(name, async () => {
      using it = workloadsWorld();
      it.port.create("poddisruptionbudgets.policy", budget(spec));
      it.port.create("deployments.apps", workload("Deployment", { replicas: 3 }));
      await it.settled();
      expect(objectAt(it.one("poddisruptionbudgets.policy", "b"), "status")).toMatchObject({
        currentHealthy: 3,
        expectedPods: 3,
        disruptionsAllowed: allowed,
        conditions: [{ type: "DisruptionAllowed", status: allowed > 0 ? "True" : "False" }],
      });
    });
  }
});
