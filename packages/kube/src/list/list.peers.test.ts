import { forEachConcurrent } from "@jibe/base";
import { configMap, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../../test/config-maps.ts";
import { connectCluster, isExpired, type KubeClient } from "../index.ts";

const namespace = "default";
const total = 60;
const nameOf = (index: number) => `item-${String(index).padStart(3, "0")}`;

const scope = testScope();
let cluster: Kubernetes;
let client: KubeClient;

beforeAll(async () => {
  // without its cache the server reads old states from etcd, and loses them when etcd is compacted
  cluster = await startKubernetes({ extraApiServerFlags: ["--watch-cache=false"] }, scope);
  client = await connectCluster({ kubeconfig: cluster.kubeconfig, env: {} }, scope);
  const each = async (index: number) => {
    const object = configMap(nameOf(index), { labels: { app: "list" } });
    await client.createRaw(configMaps, { namespace, object }, scope);
  };
  await forEachConcurrent(Array(total).keys(), { limit: 8, each }, scope);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

const everything = Array.from({ length: total }, (_, index) => nameOf(index));

/** Reads the list in small pages; `between` is run after the first. */
async function readPages(between: () => Promise<void>): Promise<{ names: string[]; versions: Set<string> }> {
  const names: string[] = [];
  const versions = new Set<string>();
  const options = { namespace, labelSelector: "app=list", limit: 10 };
  for await (const page of client.listPages(configMaps, options, scope)) {
    if (names.length === 0) await between();
    names.push(...page.items.map(({ name }) => name));
    versions.add(page.resourceVersion);
  }
  return { names, versions };
}

describe("lists on a real API server", () => {
  test("come in pages of one state, with kind and apiVersion", async () => {
    const { names, versions } = await readPages(async () => {
      await client.createRaw(
        configMaps,
        { namespace, object: configMap("zz-later", { labels: { app: "list" } }) },
        scope,
      );
    });
    await client.delete(configMaps, { namespace, name: "zz-later" }, scope);
    expect(names).toEqual(everything);
    expect(versions.size).toBe(1);
    const [item] = (await client.listPages(configMaps, { namespace, limit: 1 }, scope).next()).value?.items ?? [];
    expect(item && JSON.parse(Buffer.from(item.bytes).toString("utf8"))).toEqual(
      await client.get(configMaps, { namespace, name: nameOf(0) }, scope),
    );
  });

  test("go on after their token has expired, and deliver nothing twice", async () => {
    const { names } = await readPages(async () => {
      await client.createRaw(
        configMaps,
        { namespace, object: configMap("aa-new", { labels: { app: "list" } }) },
        scope,
      );
      await cluster.compactEtcd();
    });
    await client.delete(configMaps, { namespace, name: "aa-new" }, scope);
    expect(names).toEqual(everything);
    expect(scope.messages("debug")).toContain("a list's continue token expired");
  });

  test("survive a restart of the API server in their middle", async () => {
    let restarted: Promise<void> | undefined;
    const { names } = await readPages(async () => {
      await cluster.stopApiServer();
      restarted = cluster.restartApiServer();
    });
    await restarted;
    expect(names).toEqual(everything);
  });

  test("say when the state they were asked for is gone", async () => {
    await client.createRaw(configMaps, { namespace, object: configMap("later") }, scope);
    await cluster.compactEtcd();
    const old = client.list(
      configMaps,
      { namespace, resourceVersion: "1", resourceVersionMatch: "Exact", limit: 5 },
      scope,
    );
    expect(isExpired(await old.catch((error: unknown) => error))).toBe(true);
  });
});
