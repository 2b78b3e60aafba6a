import type { RunEvent } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { placeOf, progressPorts } from "./progress-ports.ts";

const event = (more: Partial<RunEvent>): RunEvent => ({
  step: "items",
  itemsDone: 1,
  itemsTotal: 2,
  itemsPerSecond: 1,
  ...more,
});

const places: Record<string, { given: Partial<RunEvent>; want: string }> = {
  "the type of a backup": { given: { groupResource: "pods" }, want: "pods" },
  "the item of a restore in the wave of its type": {
    given: { wave: "secrets", groupResource: "secrets", item: "shop/login" },
    want: "wave secrets: shop/login",
  },
  "the item of a restore in a wave of several types": {
    given: { wave: "other types", groupResource: "deployments.apps", item: "shop/web" },
    want: "wave other types: deployments.apps shop/web",
  },
  "a wave that begins": { given: { wave: "secrets" }, want: "wave secrets" },
  "nothing yet": { given: { step: "collect" }, want: "" },
};
for (const [name, { given, want }] of Object.entries(places)) {
  test(`a run is at ${name}`, () => expect(placeOf(event(given))).toBe(want));
}

test("where a run is goes out with its numbers", async () => {
  using scope = testScope();
  const written: unknown[] = [];
  const patchProgress = async (status: object, place: string) => {
    written.push([status, place]);
    return { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r" } };
  };
  const ports = progressPorts({ patchProgress });
  ports.onEvent(event({ wave: "pods", groupResource: "pods", item: "shop/a" }));
  ports.onEvent(event({ wave: "pods", groupResource: "pods", item: "shop/b" }));
  expect(written).toEqual([]);
  await ports.patchStatus({ progress: { totalItems: 2 } }, scope);
  expect(written).toEqual([[{ progress: { totalItems: 2 } }, "wave pods: shop/b"]]);
});
