import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { type Named, ObjectStore } from "./object-store.ts";

const named = (name: string, resourceVersion: string): Named => ({
  metadata: { name, namespace: "a", resourceVersion },
});

function storeWith(...objects: Named[]) {
  const scope = testScope();
  const store = new ObjectStore<Named>(scope.log);
  store.replaceAll(objects);
  const changes: string[] = [];
  store.subscribe(({ key, object, previous }) => {
    changes.push(`${key} ${previous?.metadata.resourceVersion ?? "-"}>${object?.metadata.resourceVersion ?? "-"}`);
  });
  return { store, changes, scope };
}

describe("an informer's store", () => {
  test("tells a new subscriber what is there, then what changes", () => {
    const { store, changes } = storeWith(named("x", "1"));
    store.put(named("x", "2"));
    store.put(named("y", "3"));
    store.remove("a/x");
    store.remove("a/x");
    expect(changes).toEqual(["a/x ->1", "a/x 1>2", "a/y ->3", "a/x 2>-"]);
  });

  test("takes over a list: reports what differs and what is gone", () => {
    const { store, changes } = storeWith(named("same", "1"), named("changed", "2"), named("gone", "3"));
    changes.length = 0;
    store.replaceAll([named("same", "1"), named("changed", "9"), named("new", "8")]);
    expect(changes.toSorted()).toEqual(["a/changed 2>9", "a/gone 3>-", "a/new ->8"]);
    expect(store.list()).toHaveLength(3);
  });

  test("a handler that throws does not keep others from hearing", () => {
    const { store, changes, scope } = storeWith();
    store.subscribe(() => {
      throw new Error("broken");
    });
    store.put(named("x", "1"));
    store.reportAll();
    expect(changes).toEqual(["a/x ->1", "a/x 1>1"]);
    expect(scope.messages("error")).toHaveLength(2);
  });

  test("disposing a subscription ends it", () => {
    const { store } = storeWith();
    let count = 0;
    const subscription = store.subscribe(() => count++);
    subscription[Symbol.dispose]();
    store.put(named("x", "1"));
    expect(count).toBe(0);
  });
});
