import { AppError } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { configMap } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { resourceType } from "../../test/memory-types.ts";
import { type Listed, LiveObjects } from "./live-objects.ts";

const type = resourceType("v1", "ConfigMap");
const names = (count: number) => Array.from({ length: count }, (_, index) => `c${String(index).padStart(4, "0")}`);
const asText = (listed: Listed) => (typeof listed === "string" ? listed : listed.object.metadata.name);

function worldOf(count: number, fault?: (call: string) => void) {
  const objects = names(count).map((name) => configMap(`shop/${name}`));
  return memoryCluster({ objects, ...(fault ? { fault } : {}) });
}

const listCalls = ({ calls }: { readonly calls: readonly string[] }) => calls.filter((call) => call.startsWith("list"));

test("names in order are answered by one page after the other, side by side too", async () => {
  using scope = testScope();
  const cluster = worldOf(250);
  await using live = new LiveObjects(cluster);
  const wanted = [...names(250), "c9999"];
  const found = await Promise.all(wanted.map((name) => live.find(type, { namespace: "shop", name }, scope)));
  expect(found.map(asText)).toEqual([...names(250), "absent"]);
  expect(listCalls(cluster)).toHaveLength(3);
});

test("a name that lies between two others is absent, one that lies too far back is unknown", async () => {
  using scope = testScope();
  const cluster = worldOf(350);
  await using live = new LiveObjects(cluster);
  const find = async (name: string) => asText(await live.find(type, { namespace: "shop", name }, scope));
  for (const name of names(350)) await find(name);
  expect(await find("c0200x")).toBe("absent");
  expect(await find("c0005")).toBe("unknown");
});

test("a list that answers hardly anything is given up", async () => {
  using scope = testScope();
  const cluster = worldOf(1000);
  await using live = new LiveObjects(cluster);
  const find = async (name: string) => asText(await live.find(type, { namespace: "shop", name }, scope));
  expect(await find("c0001")).toBe("c0001");
  expect(await find("c0999")).toBe("unknown");
  expect(await find("c0002")).toBe("unknown");
  expect(listCalls(cluster)).toHaveLength(1);
});

test("a list that cannot be read tells nothing", async () => {
  using scope = testScope();
  const cluster = worldOf(5, (call) => {
    if (call.startsWith("list")) throw new AppError("PermissionDenied", "configmaps is forbidden");
  });
  await using live = new LiveObjects(cluster);
  expect(await live.find(type, { namespace: "shop", name: "c0001" }, scope)).toBe("unknown");
});

test("being stopped passes through", async () => {
  const scope = testScope();
  await using live = new LiveObjects(worldOf(5));
  scope[Symbol.dispose]();
  await expect(live.find(type, { namespace: "shop", name: "c0001" }, scope)).rejects.toThrow();
});
