import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { eventually, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CapturedProcess } from "../../e2e/product/captured-process.ts";
import { type GuardAnswer, type GuardWebhook, startGuardWebhook } from "./guard-webhook.ts";
import { RealWorld, takesWork } from "./real-world.ts";

const numbers = Array.from({ length: 120 }, (_, index) => String(index).padStart(3, "0"));
const source = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  ...["denied", "hanging", "slow", ...numbers.map((each) => `item-${each}`)].map((name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop" },
    data: { name },
  })),
  ...["one", "three", "two"].map((name) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "shop" },
  })),
];

describe("a restore on a real API server", () => {
  const scope = testScope();
  let world: RealWorld;
  let server: CapturedProcess;
  let webhook: GuardWebhook;
  let answer: (name: string) => GuardAnswer;
  beforeAll(async () => {
    world = await RealWorld.start({}, scope);
    await world.install();
    webhook = await startGuardWebhook((name) => answer(name));
    server = world.server();
    await takesWork(server);
    await world.kubernetes.apply(source);
    const made = await world.jibe("backup", "create", "b", "--include-namespaces=shop", "--wait");
    expect(made).toMatchObject({ exitCode: 0 });
  }, 180_000);
  afterAll(async () => {
    server?.interrupt();
    await server?.ended;
    await webhook?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
    scope[Symbol.dispose]();
  });

  const namesIn = async (namespace: string, type: string) => {
    const path = "-o=jsonpath={.items[*].metadata.name}";
    const { stdout } = await world.kubernetes.kubectl(["get", type, "-n", namespace, path]);
    return stdout.split(" ").filter((name) => name !== "" && name !== "kube-root-ca.crt");
  };
  const errorsOf = async (name: string): Promise<string[]> => {
    const file = join(world.kubernetes.dir, "store/bucket/restores", name, `restore-${name}-results.gz`);
    const { errors } = JSON.parse(gunzipSync(await readFile(file)).toString());
    return Object.values<string[]>(errors.namespaces ?? {}).flat();
  };
  const restoreTo = (name: string) =>
    world.jibe("restore", "create", name, "--from-backup=b", `--namespace-mappings=shop:${name}`, "--wait");

  test("loses what a webhook denies or keeps hanging and what a quota forbids, and nothing else", {
    timeout: 180_000,
  }, async () => {
    const asked = new Map<string, number>();
    answer = (name) => {
      asked.set(name, (asked.get(name) ?? 0) + 1);
      if (name === "slow" && asked.get(name) === 1) return "hang";
      return name === "denied" ? "deny" : name === "hanging" ? "hang" : "allow";
    };
    const quota = { hard: { "count/secrets": "1" } };
    await world.kubernetes.apply([
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "guarded" } },
      webhook.configurationFor("guarded"),
      { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "few", namespace: "guarded" }, spec: quota },
    ]);
    // Without its controller nobody counts for the quota but the API server itself, from where it is told to begin.
    const status = { status: { ...quota, used: { "count/secrets": "0" } } };
    const patch = ["--subresource=status", "--type=merge", `--patch=${JSON.stringify(status)}`];
    await world.kubernetes.kubectl(["patch", "resourcequota", "few", "-n", "guarded", ...patch]);

    expect((await restoreTo("guarded")).out).toContain("PartiallyFailed");
    const created = await namesIn("guarded", "configmaps");
    expect(created).toEqual([...numbers.map((each) => `item-${each}`), "slow"]);
    expect(await namesIn("guarded", "secrets")).toHaveLength(1);
    const errors = await errorsOf("guarded");
    expect(errors.filter((text) => text.includes("exceeded quota: few"))).toHaveLength(2);
    expect(errors.filter((text) => !text.includes("exceeded quota")).sort()).toEqual([
      expect.stringMatching(
        /configmaps\/guarded\/denied: admission webhook "guard.example.io" denied.*it looks suspicious/,
      ),
      expect.stringMatching(/configmaps\/guarded\/hanging: .*failed calling webhook "guard.example.io"/),
    ]);
    expect(asked.get("hanging")).toBeGreaterThan(1); // it might have passed, as it did with the slow one
  });

  test("outlasts an API server that is restarted under it", { timeout: 180_000 }, async () => {
    let restarted: Promise<void> | undefined;
    let asked = 0;
    answer = () => {
      if (++asked === 20) restarted = world.kubernetes.restartApiServer();
      return "allow";
    };
    await world.kubernetes.apply([webhook.configurationFor("restarted")]);
    const restoring = restoreTo("restarted");
    await eventually(() => restarted !== undefined, { timeoutMs: 60_000 });
    await restarted;
    await restoring; // the command line may have been cut off; the server must not be
    await eventually(
      async () => {
        const path = "-o=jsonpath={.status.phase}";
        const { stdout } = await world.kubernetes.kubectl([
          "get",
          "restores.velero.io",
          "restarted",
          "-n",
          "velero",
          path,
        ]);
        if (stdout !== "Completed") throw new Error(`the restore is ${stdout}`);
        return true;
      },
      { timeoutMs: 120_000 },
    );
    expect(await namesIn("restarted", "configmaps")).toHaveLength(numbers.length + 3);
    expect(await namesIn("restarted", "secrets")).toHaveLength(3);
    expect(await errorsOf("restarted")).toEqual([]);
  });
});
