import type { Scope } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { errorFromStatus } from "../status-error.ts";
import { listPages } from "./list-pages.ts";
import { splitList } from "./split-list.ts";

type Step = string[] | { readonly expired: true; readonly token?: string };

const expired = (continueToken?: string) =>
  errorFromStatus("cannot list", {
    code: 410,
    reason: "Expired",
    message: "too old",
    causes: [],
    details: {},
    ...(continueToken ? { continueToken } : {}),
  });

/** A server of pages by token; a step may say that its token has expired. */
function pagesFrom(steps: Readonly<Record<string, { step: Step; next?: string }>>) {
  const asked: string[] = [];
  const fetchPage = async (token: string) => {
    asked.push(token);
    const entry = steps[token];
    if (!entry) throw new Error(`nobody offered the token ${token}`);
    if (!Array.isArray(entry.step)) throw expired(entry.step.token);
    const items = entry.step.map((name) => ({ metadata: { name, namespace: "shop" } }));
    const metadata = { resourceVersion: "1", ...(entry.next ? { continue: entry.next } : {}) };
    return splitList(Buffer.from(JSON.stringify({ items, metadata })), { apiVersion: "v1", kind: "Pod" });
  };
  return { asked, fetchPage };
}

async function namesOf(fetchPage: Parameters<typeof listPages>[0], scope: Scope): Promise<string[]> {
  const names: string[] = [];
  for await (const { items } of listPages(fetchPage, scope)) names.push(...items.map(({ name }) => name));
  return names;
}

describe("listPages", () => {
  test("follows the tokens to the end", async () => {
    using scope = testScope();
    const { asked, fetchPage } = pagesFrom({ "": { step: ["a", "b"], next: "t1" }, t1: { step: ["c"] } });
    expect(await namesOf(fetchPage, scope)).toEqual(["a", "b", "c"]);
    expect(asked).toEqual(["", "t1"]);
  });

  test("goes on with the token that a 410 offers", async () => {
    using scope = testScope();
    const { fetchPage } = pagesFrom({
      "": { step: ["a", "b"], next: "old" },
      old: { step: { expired: true, token: "fresh" } },
      fresh: { step: ["c", "d"] },
    });
    expect(await namesOf(fetchPage, scope)).toEqual(["a", "b", "c", "d"]);
  });

  test("begins again when a 410 offers no token, and delivers nothing twice", async () => {
    using scope = testScope();
    let restarted = false;
    const first = pagesFrom({ "": { step: ["a", "c"], next: "old" }, old: { step: { expired: true } } });
    const second = pagesFrom({ "": { step: ["a", "b", "c", "d"], next: "t" }, t: { step: ["e"] } });
    const names = await namesOf((token) => {
      restarted ||= token === "" && first.asked.length > 0;
      return (restarted ? second : first).fetchPage(token);
    }, scope);
    expect(names).toEqual(["a", "c", "d", "e"]);
  });

  test("fails rather than lose items of a server that does not sort", async () => {
    using scope = testScope();
    const { fetchPage } = pagesFrom({ "": { step: ["b", "a"], next: "old" }, old: { step: { expired: true } } });
    await expect(namesOf(fetchPage, scope)).rejects.toMatchObject({ code: "Conflict" });
  });

  test("gives up on a list that expires again and again", async () => {
    using scope = testScope();
    const { fetchPage } = pagesFrom({ "": { step: ["a"], next: "old" }, old: { step: { expired: true } } });
    await expect(namesOf(fetchPage, scope)).rejects.toMatchObject({ code: "Conflict" });
  });

  test("asks for the next page ahead, and stops it when the reader leaves", async () => {
    using scope = testScope();
    const { fetchPage } = pagesFrom({ "": { step: ["a"], next: "t1" } });
    let ahead: AbortSignal | undefined;
    for await (const _ of listPages((token, inner) => {
      if (token === "") return fetchPage(token);
      ahead = inner.signal;
      return new Promise((_resolve, reject) => {
        inner.signal.addEventListener("abort", () => reject(inner.signal.reason));
      });
    }, scope)) {
      expect(ahead?.aborted).toBe(false);
      break;
    }
    expect(ahead?.aborted).toBe(true);
  });
});
