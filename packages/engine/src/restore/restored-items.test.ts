import { expect, test } from "vitest";
import { RestoredItems } from "./restored-items.ts";

const place = (name: string, namespace = "shop", targetNamespace = namespace) => ({
  groupResource: "pods",
  namespace,
  targetNamespace,
  name,
});

const listOf = (items: RestoredItems) => JSON.parse([...items.resourceListJson()].join(""));

test("an item that has ended is found as it ended, however it is kept", () => {
  const items = new RestoredItems();
  for (const [index, action] of (["created", "updated", "failed", "skipped"] as const).entries()) {
    for (const exists of [true, false]) {
      const name = `${action}-${exists}`;
      const { item, end } = items.begin(place(name));
      items.count(item, `v${index}/Pod`);
      item.action = action;
      item.exists = exists;
      end();
      expect(items.find("pods", "shop", name)).toMatchObject({
        name,
        origin: "shop",
        action,
        exists,
        isCounted: true,
        resourceKey: `v${index}/Pod`,
        finished: undefined,
      });
    }
  }
  expect([items.counted, items.finished]).toEqual([8, 8]);
  expect(listOf(items)["v0/Pod"]).toEqual(["shop/created-false(created)", "shop/created-true(created)"]);
});

test("names that the server made and other origins are kept", () => {
  const items = new RestoredItems();
  const generated = items.begin(place("a"));
  items.count(generated.item, "v1/Pod");
  generated.item.createdName = "a-x7";
  generated.item.action = "created";
  generated.end();
  const mapped = items.begin(place("b", "shop", "copy"));
  mapped.end();
  expect(items.find("pods", "copy", "b")?.origin).toBe("shop");
  expect(listOf(items)).toEqual({ "v1/Pod": ["shop/a-x7(created)"] });
});

test("a wait ends with the item; one that would close a circle is met at once", async () => {
  const items = new RestoredItems();
  const [a, b] = [items.begin(place("a")), items.begin(place("b"))];
  const waiting = items.waitFor(b.item, a.item);
  expect(a.item.waitsFor).toBe(b.item);
  await items.waitFor(a.item, b.item);
  await items.waitFor(b.item, b.item);
  b.end();
  await waiting;
  expect(a.item.waitsFor).toBeUndefined();
});
