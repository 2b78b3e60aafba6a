import { expect, test } from "vitest";
import type { KubeObject } from "../api/kube-object.ts";
import { objectOf } from "./entry.ts";
import { Store } from "./store.ts";

const thing = (name: string, more: object = {}): KubeObject => ({ metadata: { name, namespace: "ns" }, ...more });
const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);

test("each commit has a revision of its own, which the object carries", () => {
  using store = new Store();
  const first = store.commit("things", thing("a"));
  const second = store.commit("things", thing("b"));
  expect(second.revision).toBe(first.revision + 1);
  expect(objectOf(second).metadata.resourceVersion).toBe(String(second.revision));
});

test("entries are listed in key order, of one namespace or of all", () => {
  using store = new Store();
  for (const name of ["b", "a", "c"]) store.commit("things", thing(name));
  store.commit("things", { metadata: { name: "z", namespace: "ns-other" } });
  expect(names(store.list("things", "ns"))).toEqual(["a", "b", "c"]);
  expect(names(store.list("things"))).toEqual(["z", "a", "b", "c"]); // "-" sorts before "/", as in etcd
});

test("a list handed out is not changed by later writes", () => {
  using store = new Store();
  store.commit("things", thing("a"));
  const before = store.list("things");
  store.commit("things", thing("b"));
  expect(names(before)).toEqual(["a"]);
});

test("the past can be listed until it is compacted", () => {
  using store = new Store();
  store.commit("things", thing("a", { size: 1 }));
  const { revision } = store.commit("things", thing("b"));
  store.commit("things", thing("a", { size: 2 }));
  store.remove("things", thing("b"));
  store.commit("things", thing("c"));
  const past = store.listAt("things", "ns", revision);
  expect(names(past)).toEqual(["a", "b"]);
  expect(past.map(objectOf).map((object) => object["size"])).toEqual([1, undefined]);
  store.compact();
  expect(store.eventsSince("things", revision)).toBeUndefined();
});

test("history is bounded", () => {
  using store = new Store({ historyEvents: 10 });
  for (let index = 0; index < 25; index++) store.commit("things", thing(`t${index}`));
  expect(store.compactedRevision).toBeGreaterThan(10);
  expect(store.eventsSince("things", store.compactedRevision)?.length).toBeLessThanOrEqual(10);
});

test("listeners hear of each change with what was there before", () => {
  using store = new Store();
  const heard: string[] = [];
  const listening = store.listen(({ type, entry, previous }) =>
    heard.push(`${type} ${entry.name} ${previous?.revision ?? "new"}`),
  );
  const { revision } = store.commit("things", thing("a"));
  store.commit("things", thing("a"));
  listening[Symbol.dispose]();
  store.commit("things", thing("b"));
  expect(heard).toEqual(["ADDED a new", `MODIFIED a ${revision}`]);
});
