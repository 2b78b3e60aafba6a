import { eventually, pod, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { connectCluster, type KubeClient, type ResourceRef } from "../index.ts";

const pods: ResourceRef = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
const namespace = "default";

const scope = testScope();
let cluster: Kubernetes;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startKubernetes({ kwok: true }, scope);
  client = await connectCluster({ kubeconfig: cluster.kubeconfig, env: {} }, scope);
  await client.create(pods, { namespace, object: pod("web", { spec: { nodeName: "node-1" } }) }, scope);
  await eventually(
    async () => {
      const { status } = await client.get(pods, { namespace, name: "web" }, scope);
      return (status as { phase?: string }).phase === "Running";
    },
    { timeoutMs: 60_000 },
  );
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

const run = (script: string, more = {}) =>
  client.exec({ namespace, pod: "web", container: "main", command: ["sh", "-c", script], ...more }, scope);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("exec on a real API server", () => {
  test("gives what the command printed, each stream by itself", async () => {
    const { exitCode, stdout, stderr, truncated } = await run("echo out; echo err >&2");
    expect({ exitCode, stdout: text(stdout), stderr: text(stderr), truncated }).toEqual({
      exitCode: 0,
      stdout: "out\n",
      stderr: "err\n",
      truncated: false,
    });
  });

  test("feeds the command", async () => {
    // kwok passes on what is written, but not that the input has ended; so the command must know how much to read
    const { stdout } = await run("head -c 100000 | wc -c", { stdin: "x".repeat(100_000), timeoutMs: 20_000 });
    expect(text(stdout).trim()).toBe("100000");
  });

  test("carries much output", async () => {
    const { stdout, truncated } = await run("yes 0123456789 | head -c 3000000", { maxOutputBytes: 2_000_000 });
    expect([stdout.length, truncated]).toEqual([2_000_000, true]);
  });

  test("tells of a failed command", async () => {
    // a real kubelet gives the exit code, which is a result; kwok reports that the command failed as an internal error
    const ended = await run("exit 3").then(
      ({ exitCode }) => `exit code ${exitCode}`,
      (error: Error) => error.message,
    );
    expect(ended).toMatch(/exit (code|status) 3/);
  });

  test("ends with its time limit, and shows what was printed before", async () => {
    const late = run("echo started; exec sleep 60", { timeoutMs: 1500 });
    await expect(late).rejects.toMatchObject({ code: "DeadlineExceeded", fields: { stdout: "started\n" } });
  });

  test("ends with its scope", async () => {
    using inner = testScope();
    const reason = new Error("enough");
    const stopped = client.exec({ namespace, pod: "web", command: ["sleep", "60"] }, inner);
    inner.abort(reason);
    await expect(stopped).rejects.toBe(reason);
  });

  test("says why the server refused", async () => {
    const absent = client.exec({ namespace, pod: "absent", command: ["true"] }, scope);
    await expect(absent).rejects.toMatchObject({
      code: "NotFound",
      message: expect.stringContaining('pods "absent" not found'),
    });
    const trust = { "certificate-authority-data": Buffer.from(cluster.caCert).toString("base64") };
    await using other = await connectTo(cluster.url, scope, { cluster: trust, user: { token: cluster.userToken } });
    const denied = other.exec({ namespace, pod: "web", command: ["true"] }, scope);
    await expect(denied).rejects.toMatchObject({ code: "PermissionDenied" });
  });
});
