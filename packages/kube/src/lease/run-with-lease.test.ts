import { hasCode, type Scope } from "@jibe/base";
import { eventually, fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { startObjectServer } from "../../test/object-server.ts";
import { runWithLease } from "./run-with-lease.ts";

const settings = {
  namespace: "jibe",
  name: "leader",
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

async function candidateOn(url: string, identity: string, clock = fakeClock()) {
  const scope = testScope();
  const client = await connectTo(url, scope, { options: { clock } });
  let holding: Scope | undefined;
  const start = () =>
    runWithLease({ ...settings, client, identity, clock }, scope, async (inner) => {
      holding = inner;
      const { promise, reject } = Promise.withResolvers<never>();
      inner.signal.addEventListener("abort", () => reject(inner.signal.reason));
      return promise;
    });
  return {
    clock,
    scope,
    client,
    start,
    isHolding: () => holding !== undefined && !holding.signal.aborted,
    lostBy: () => holding?.signal.reason,
    async [Symbol.asyncDispose]() {
      scope[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

const specOf = (server: Awaited<ReturnType<typeof startObjectServer>>) =>
  (server.objects.get("leader") as unknown as { spec: Record<string, unknown> }).spec;

describe("runWithLease", () => {
  test("takes a lease that nobody has, keeps it, and gives it back after the work", async () => {
    await using server = await startObjectServer();
    await using a = await candidateOn(server.url, "a");
    const running = a.start();
    await eventually(a.isHolding);
    expect(specOf(server)).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
    const { acquireTime } = specOf(server);
    expect(acquireTime).toMatch(/\.\d{6}Z$/);
    await a.clock.advance(2000);
    await eventually(() => specOf(server)["renewTime"] !== acquireTime);
    expect(specOf(server)).toMatchObject({ acquireTime, holderIdentity: "a" });
    a.scope.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(specOf(server)).toMatchObject({ holderIdentity: "" });
  });

  test("returns what the work returned", async () => {
    using scope = testScope();
    await using server = await startObjectServer();
    await using client = await connectTo(server.url, scope);
    expect(await runWithLease({ ...settings, client, identity: "a" }, scope, async () => 42)).toBe(42);
  });

  test("waits while another renews, and takes over once that one was silent for the whole lease", async () => {
    await using server = await startObjectServer();
    await using a = await candidateOn(server.url, "a");
    await using b = await candidateOn(server.url, "b");
    const first = a.start().catch(() => {});
    await eventually(a.isHolding);
    const second = b.start().catch(() => {});
    await b.clock.untilSleeping();
    for (let round = 0; round < 10; round++) {
      await a.clock.advance(2000);
      await a.clock.untilSleeping();
      await b.clock.advance(2400);
      await b.clock.untilSleeping();
    }
    expect([a.isHolding(), b.isHolding()]).toEqual([true, false]);
    const silentSinceMs = b.clock.monotonicMs();
    await eventually(async () => {
      if (!b.isHolding()) await b.clock.advance(500);
      return b.isHolding();
    });
    expect(b.clock.monotonicMs() - silentSinceMs).toBeGreaterThan(12_000);
    expect(specOf(server)).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    await a.clock.advance(2000);
    await eventually(() => !a.isHolding());
    expect(a.lostBy()).toMatchObject({ code: "Unavailable", message: expect.stringContaining('held by "b"') });
    b.scope.abort();
    await Promise.all([first, second]);
  });

  test("stops the work before others may take over when the server cannot be reached", async () => {
    await using server = await startObjectServer();
    await using a = await candidateOn(server.url, "a");
    const failed = a.start().catch((error: unknown) => error);
    await eventually(a.isHolding);
    server.fail = true;
    await a.clock.advance(9999);
    expect(a.isHolding()).toBe(true);
    await a.clock.advance(1);
    expect(a.isHolding()).toBe(false);
    expect(hasCode(await failed, "Unavailable")).toBe(true);
    expect(specOf(server)).toMatchObject({ holderIdentity: "a" });
  });

  test("survives a short outage, and an edit of the lease by someone else", async () => {
    await using server = await startObjectServer();
    await using a = await candidateOn(server.url, "a");
    const running = a.start().catch(() => {});
    await eventually(a.isHolding);
    server.fail = true;
    await a.clock.advance(4000);
    server.fail = false;
    const type = { group: "coordination.k8s.io", version: "v1", resource: "leases", kind: "Lease", namespaced: true };
    using other = testScope();
    await using client = await connectTo(server.url, other);
    const lease = await client.get(type, { namespace: "jibe", name: "leader" }, other);
    const labelled = { ...lease, metadata: { ...lease.metadata, labels: { seen: "yes" } } };
    await client.update(type, { namespace: "jibe", name: "leader", object: labelled }, other);
    const { renewTime } = specOf(server);
    await eventually(async () => {
      await a.clock.advance(500);
      return specOf(server)["renewTime"] !== renewTime;
    });
    expect(a.isHolding()).toBe(true);
    a.scope.abort();
    await running;
  });

  test("refuses times that cannot work", async () => {
    using scope = testScope();
    await using client = await connectTo("http://127.0.0.1:1", scope);
    const options = { ...settings, client, identity: "a", renewDeadlineMs: 20_000 };
    await expect(runWithLease(options, scope, async () => 1)).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});
