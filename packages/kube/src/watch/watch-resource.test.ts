import type { ServerResponse } from "node:http";
import { eventually, fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { type SeenRequest, sendStatus, startServer } from "../../test/scripted-server.ts";
import { isExpired, type ResourceRef } from "../index.ts";

const pods: ResourceRef = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };

const event = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: { kind: "Pod", metadata: { name, resourceVersion } } })}\n`;
const bookmark = (resourceVersion: string) => event("BOOKMARK", "", resourceVersion);
const expired = `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } })}\n`;

const versionOf = ({ url }: SeenRequest) => new URL(url, "http://x").searchParams.get("resourceVersion");

/** Serves one connection after the other as scripted; a connection ends unless it says otherwise. */
async function watchOn(
  connections: ((response: ServerResponse) => void)[],
  { take, autoAdvance = true, idleTimeoutMs }: { take: number; autoAdvance?: boolean; idleTimeoutMs?: number },
) {
  const scope = testScope();
  const server = await startServer((_, response, count) => {
    const connection = connections[count - 1];
    if (connection) connection(response);
  });
  const clock = fakeClock({ autoAdvance });
  const client = await connectTo(server.url, scope, { options: { clock } });
  const seen: string[] = [];
  const run = async () => {
    for await (const { type, object } of client.watch(pods, { resourceVersion: "1", idleTimeoutMs }, scope)) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === take) return;
    }
  };
  return {
    seen,
    server,
    clock,
    scope,
    run,
    async [Symbol.asyncDispose]() {
      scope[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const lines =
  (...text: string[]) =>
  (response: ServerResponse) => {
    response.writeHead(200);
    response.end(text.join(""));
  };

describe("a watch", () => {
  test("goes on after each connection where the last one stopped, bookmarks included", async () => {
    await using watch = await watchOn(
      [
        lines(event("ADDED", "a", "2"), event("MODIFIED", "a", "3")),
        (response) => response.destroy(),
        lines(bookmark("9")),
        (response) => sendStatus(response, 503, "ServiceUnavailable"),
        lines(event("DELETED", "a", "12")),
      ],
      { take: 3 },
    );
    await watch.run();
    expect(watch.seen).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(watch.server.requests.map(versionOf)).toEqual(["1", "3", "3", "9", "9"]);
  });

  test("goes on after a connection that breaks between events", async () => {
    const breaking = (response: ServerResponse) => {
      response.writeHead(200);
      response.write(event("ADDED", "a", "2"), () => response.destroy());
    };
    await using watch = await watchOn([breaking, lines(event("ADDED", "b", "3"))], { take: 2 });
    await watch.run();
    expect(watch.server.requests.map(versionOf)).toEqual(["1", "2"]);
  });

  test("puts events together that come in pieces", async () => {
    const text = event("ADDED", "é-ö", "2");
    const bytes = Buffer.from(text + event("ADDED", "b", "3"));
    await using watch = await watchOn(
      [
        (response) => {
          response.writeHead(200);
          for (const byte of bytes) response.write(Buffer.of(byte));
          response.end();
        },
      ],
      { take: 2 },
    );
    await watch.run();
    expect(watch.seen).toEqual(["ADDED é-ö", "ADDED b"]);
  });

  for (const [name, connection] of Object.entries({
    "in the stream": lines(expired),
    "at the start": (response: ServerResponse) => sendStatus(response, 410, "Expired"),
  })) {
    test(`ends when its version is too old: ${name}`, async () => {
      await using watch = await watchOn([connection], { take: 1 });
      expect(isExpired(await watch.run().catch((error: unknown) => error))).toBe(true);
    });
  }

  test("ends on what reconnecting cannot mend", async () => {
    await using watch = await watchOn([(response) => sendStatus(response, 403, "Forbidden")], { take: 1 });
    await expect(watch.run()).rejects.toMatchObject({ code: "PermissionDenied" });
  });

  test("notices a connection that has gone silent", async () => {
    const silent = (response: ServerResponse) => {
      response.writeHead(200);
      response.write(event("ADDED", "a", "2"));
    };
    const script = [silent, lines(event("ADDED", "b", "3"))];
    await using watch = await watchOn(script, { take: 2, autoAdvance: false, idleTimeoutMs: 30_000 });
    const running = watch.run();
    await eventually(() => watch.seen.length === 1);
    await watch.clock.advance(30_000);
    await watch.clock.untilSleeping();
    await watch.clock.advance(1000);
    await running;
    expect(watch.seen).toEqual(["ADDED a", "ADDED b"]);
  });

  test("waits longer and longer for a server that stays away", async () => {
    const down = (response: ServerResponse) => sendStatus(response, 503, "ServiceUnavailable");
    await using watch = await watchOn([down, down, down, down, lines(event("ADDED", "a", "2"))], {
      take: 1,
      autoAdvance: false,
    });
    const running = watch.run();
    const delays: number[] = [];
    for (let round = 0; round < 4; round++) {
      await watch.clock.untilSleeping();
      delays.push(...watch.clock.pendingSleeps());
      await watch.clock.advanceToNext();
    }
    await running;
    expect(delays.every((delay, index) => delay >= 50 * 2 ** index && delay <= 100 * 2 ** index)).toBe(true);
  });

  test("ends with its scope", async () => {
    await using watch = await watchOn([(response) => void response.writeHead(200).flushHeaders()], { take: 1 });
    const running = watch.run();
    await eventually(() => watch.server.requests.length === 1);
    const reason = new Error("enough");
    watch.scope.abort(reason);
    await expect(running).rejects.toBe(reason);
  });
});
