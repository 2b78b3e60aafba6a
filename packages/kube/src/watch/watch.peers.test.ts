import { configMap, eventually, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../../test/config-maps.ts";
import { connectCluster, isExpired, type KubeClient, startInformer } from "../index.ts";

const namespace = "default";

const scope = testScope();
let cluster: Kubernetes;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startKubernetes({ extraApiServerFlags: ["--watch-cache=false"] }, scope);
  client = await connectCluster({ kubeconfig: cluster.kubeconfig, env: {} }, scope);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

const make = (name: string) => client.create(configMaps, { namespace, object: configMap(name) }, scope);
const remove = (name: string) => client.delete(configMaps, { namespace, name }, scope);

describe("watches on a real API server", () => {
  test("go on through a restart of the API server", async () => {
    using inner = testScope();
    const { resourceVersion } = await client.list(configMaps, { namespace }, scope);
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of client.watch(configMaps, { namespace, resourceVersion }, inner)) {
        seen.push(`${type} ${object.metadata.name}`);
      }
    })().catch(() => {});
    await make("before");
    await eventually(() => seen.includes("ADDED before"));
    await cluster.restartApiServer();
    await make("after");
    await remove("before");
    await eventually(() => seen.includes("DELETED before"), { timeoutMs: 60_000 });
    inner.abort();
    await watching;
    expect(seen.filter((line) => !line.endsWith("kube-root-ca.crt"))).toEqual([
      "ADDED before",
      "ADDED after",
      "DELETED before",
    ]);
  });

  test("end when the state they begin with was compacted", async () => {
    await make("old");
    const { resourceVersion } = await client.list(configMaps, { namespace }, scope);
    await make("newer");
    await remove("newer");
    await cluster.compactEtcd();
    const watch = client.watch(configMaps, { namespace, resourceVersion }, scope);
    const failed = await watch.next().catch((error: unknown) => error);
    expect(isExpired(failed)).toBe(true);
  });
});

describe("an informer on a real API server", () => {
  test("follows changes, and finds what it missed while the server was down and its state compacted", async () => {
    using inner = testScope();
    await make("kept");
    await make("gone-later");
    await using other = await connectCluster({ kubeconfig: cluster.kubeconfig, env: {} }, scope);
    await using informer = startInformer({ client: other, type: configMaps, namespace }, inner);
    await informer.untilSynced(inner);
    const keys: string[] = [];
    informer.subscribe(({ key, object }) => keys.push(`${key} ${object ? "is" : "is not"}`));
    expect(informer.get("default/kept")?.metadata.name).toBe("kept");

    await make("live");
    await eventually(() => informer.get("default/live"));
    await cluster.restartApiServer();
    await remove("gone-later");
    await make("missed");
    await cluster.compactEtcd();
    await eventually(() => informer.get("default/missed") && !informer.get("default/gone-later"), {
      timeoutMs: 60_000,
    });
    expect(keys).toEqual(expect.arrayContaining(["default/gone-later is not", "default/missed is", "default/live is"]));
    expect(informer.hasSynced).toBe(true);
  });
});
