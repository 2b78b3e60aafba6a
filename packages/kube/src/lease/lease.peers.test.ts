import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectCluster, type KubeClient } from "../index.ts";
import { leases } from "./lease-record.ts";

const scope = testScope();
let cluster: Kubernetes;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startKubernetes({}, scope);
  client = await connectCluster({ kubeconfig: cluster.kubeconfig, env: {} }, scope);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

interface Told {
  readonly identity: string;
  readonly event: "began" | "ended";
}

/** A candidate in a process of its own, so that it can be killed. */
function startCandidate(identity: string, told: Told[]) {
  const child = fork(fileURLToPath(new URL("../../test/lease-candidate.ts", import.meta.url)));
  child.on("message", (message) => told.push(message as Told));
  child.send({ kubeconfig: cluster.kubeconfig, identity });
  const exited = once(child, "exit");
  return {
    identity,
    kill: () => child.kill("SIGKILL"),
    stop: () => child.send("stop"),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

const holder = async () =>
  (await client.get(leases, { namespace: "default", name: "contended" }, scope)).spec?.holderIdentity;

describe("a lease on a real API server, contended by three processes", () => {
  test("is held by one at a time, passes on when the holder is killed, and at once when it stops", async () => {
    const told: Told[] = [];
    await using a = startCandidate("a", told);
    await using b = startCandidate("b", told);
    await using c = startCandidate("c", told);
    const candidates = [a, b, c];
    await eventually(() => told.length > 0, { timeoutMs: 30_000 });
    const first = candidates.find(({ identity }) => identity === told[0]?.identity);
    expect(await holder()).toBe(first?.identity);

    first?.kill();
    await first?.exited;
    await eventually(() => told.length > 1, { timeoutMs: 30_000 });
    const second = candidates.find(({ identity }) => identity === told[1]?.identity);
    expect(told[1]).toMatchObject({ event: "began" });
    expect(second).not.toBe(first);

    second?.stop();
    await eventually(() => told.length > 3, { timeoutMs: 30_000 });
    const third = candidates.find((each) => each !== first && each !== second);
    expect(told.slice(2)).toEqual([
      { identity: second?.identity, event: "ended" },
      { identity: third?.identity, event: "began" },
    ]);
    expect(await holder()).toBe(third?.identity);
  });
});
