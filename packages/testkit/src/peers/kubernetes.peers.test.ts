import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { testScope } from "../test-scope.ts";
import { type Kubernetes, startKubernetes } from "./kubernetes.ts";

const scope = testScope();
let cluster: Kubernetes;

beforeAll(async () => {
  cluster = await startKubernetes({ controllerManager: true, scheduler: true, kwok: true }, scope);
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

async function kubectl(...args: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await cluster.kubectl(args);
  if (exitCode !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
  return stdout;
}

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
};

describe("a real cluster", () => {
  test("runs the pods of a deployment, and exec runs commands", async () => {
    await cluster.apply([deployment]);
    await eventually(
      async () => (await kubectl("get", "deploy", "web", "-o=jsonpath={.status.readyReplicas}")) === "2",
      {
        timeoutMs: 60_000,
      },
    );
    expect(await kubectl("exec", "deploy/web", "--", "echo", "hello")).toBe("hello\n");
  });

  test("knows users without rights", async () => {
    const args = ["--token", cluster.userToken, "auth", "can-i", "list", "secrets"];
    expect((await cluster.kubectl(args)).stdout.trim()).toBe("no");
  });

  test("keeps its objects when the API server is restarted", async () => {
    const pid = cluster.apiServerPid();
    await cluster.restartApiServer();
    expect(cluster.apiServerPid()).not.toBe(pid);
    expect(await kubectl("get", "deploy", "-o=name")).toContain("deployment.apps/web");
  });

  test("without its watch cache, loses an old continue token when etcd is compacted; disposed, it leaves nothing", async () => {
    const other = await startKubernetes({ extraApiServerFlags: ["--watch-cache=false"] }, scope);
    const list = "/api/v1/namespaces?limit=1";
    const first = JSON.parse((await other.kubectl(["get", "--raw", list])).stdout);
    await other.kubectl(["create", "configmap", "later"]);
    await other.compactEtcd();
    const next = `${list}&continue=${encodeURIComponent(first.metadata.continue)}`;
    expect(await other.kubectl(["get", "--raw", next])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("too old"),
    });

    const pid = other.apiServerPid();
    await other[Symbol.asyncDispose]();
    expect(existsSync(other.dir)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow();
  });
});
