import { describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { faulty, onCalls, onEveryCall, onFirstCalls } from "./faulty.ts";
import { testScope } from "./test-scope.ts";

class Store {
  readonly #kept = new Map<string, string>();
  readonly name = "store";
  async put(key: string, value: string, _scope?: { signal: AbortSignal }): Promise<void> {
    this.#kept.set(key, value);
  }
  async get(key: string): Promise<string | undefined> {
    return this.#kept.get(key);
  }
  async *keys(): AsyncGenerator<string> {
    yield* this.#kept.keys();
  }
}

const lost = new Error("connection lost");

describe("faulty", () => {
  test("fails the calls that the plan names and no others", async () => {
    const store = faulty(new Store(), { get: onCalls([2], { error: lost }) });
    await store.put("a", "1");
    expect(await store.get("a")).toBe("1");
    await expect(store.get("a")).rejects.toBe(lost);
    expect(await store.get("a")).toBe("1");
    expect(store.name).toBe("store");
  });

  test("can lose the answer of work that was done", async () => {
    const store = faulty(new Store(), { put: onFirstCalls(1, { error: lost, afterWork: true }) });
    await expect(store.put("a", "1")).rejects.toBe(lost);
    expect(await store.get("a")).toBe("1");
  });

  test("delays on the clock it is given", async () => {
    const clock = fakeClock();
    const store = faulty(new Store(), { get: onEveryCall({ delay: { ms: 100, clock } }) });
    await store.put("a", "1");
    const value = store.get("a");
    await clock.advance(100);
    expect(await value).toBe("1");
  });

  test("hangs until the call's own signal ends it", async () => {
    using scope = testScope();
    const store = faulty(new Store(), { put: onEveryCall({ hang: true }) });
    const put = store.put("a", "1", scope);
    scope.abort(new Error("stopped"));
    await expect(put).rejects.toThrow("stopped");
  });

  test("cuts a stream after some items", async () => {
    const store = faulty(new Store(), { keys: onEveryCall({ error: lost, afterItems: 2 }) });
    for (const key of ["a", "b", "c"]) await store.put(key, "");
    const seen: string[] = [];
    const read = async () => {
      for await (const key of store.keys()) seen.push(key);
    };
    await expect(read()).rejects.toBe(lost);
    expect(seen).toEqual(["a", "b"]);
  });

  test("a rule sees the arguments", async () => {
    const store = faulty(new Store(), { get: (_call, [key]) => (key === "bad" ? { error: lost } : undefined) });
    await expect(store.get("bad")).rejects.toBe(lost);
    expect(await store.get("good")).toBeUndefined();
  });
});
