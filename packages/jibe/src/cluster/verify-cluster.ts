import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { bodyFromBytes, bodyFromObject, type Cluster, type ResourceType } from "@jibe/engine";
import { connectCluster } from "@jibe/kube";
import { tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { kubeCluster } from "./kube-cluster.ts";

/** The contract of the engine's Cluster port, as far as an API server alone can show it. `kubeconfig` gives a file's text. */
export function verifyCluster(name: string, kubeconfig: () => Promise<string>): void {
  const run = async (work: (world: World) => Promise<void>) => {
    using scope = testScope();
    await using folder = await tempDir("cluster");
    const file = join(folder.path, "kubeconfig");
    await writeFile(file, await kubeconfig());
    await using client = await connectCluster({ kubeconfig: file, env: {} }, scope);
    await work(await prepare(kubeCluster(client), scope));
  };
  describe(`${name} keeps the cluster contract`, () => {
    test("lists deliver every item once, raw, with what filters need", () => run(listsItems));
    test("what is created is read back, and what is there twice or not at all says so", () => run(keepsObjects));
    test("numbers beyond what JavaScript holds survive", () => run(keepsNumbers));
    test("patches of three kinds change an object", () => run(patches));
    test("following shows absence, creation, change and deletion", () => run(follows));
  });
}

interface World {
  readonly cluster: Cluster;
  readonly configMaps: ResourceType;
  readonly namespace: string;
  readonly scope: Scope;
}

async function prepare(cluster: Cluster, scope: Scope): Promise<World> {
  const discovery = await cluster.discover(scope);
  const [configMaps, namespaces] = [discovery.find("cm"), discovery.find("namespaces")];
  if (!configMaps || !namespaces) throw new Error("the server has no config maps");
  const namespace = `verify-${randomBytes(4).toString("hex")}`;
  const body = bodyFromObject({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await cluster.create(namespaces, { body }, scope);
  return { cluster, configMaps, namespace, scope };
}

function configMap(namespace: string, name: string, text = "x") {
  const labels = { app: "verify", name };
  return bodyFromObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels }, data: { text } });
}

async function listsItems({ cluster, configMaps, namespace, scope }: World): Promise<void> {
  const names = Array.from({ length: 7 }, (_, index) => `map-${index}`);
  for (const name of names) {
    await cluster.create(configMaps, { namespace, body: configMap(namespace, name), fieldManager: "verify" }, scope);
  }
  const options = { namespace, labelSelector: "app=verify", limit: 3 };
  const pages = await Array.fromAsync(cluster.listPages(configMaps, options, scope));
  expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
  const items = pages.flat();
  expect(items.map((item) => [item.namespace, item.name, item.labels["name"]])).toEqual(
    names.map((name) => [namespace, name, name]),
  );
  expect(items.every((item) => item.deletionTimestamp === undefined)).toBe(true);
  const first = bodyFromBytes(items[0]?.bytes ?? new Uint8Array()).object;
  expect(first).toMatchObject({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "map-0" },
    data: { text: "x" },
  });
}

async function keepsObjects({ cluster, configMaps, namespace, scope }: World): Promise<void> {
  const body = configMap(namespace, "one", "ümläut");
  const created = await cluster.create(configMaps, { namespace, body }, scope);
  expect(created.object.metadata.uid).toBeTruthy();
  const read = await cluster.get(configMaps, { namespace, name: "one" }, scope);
  expect(read.object).toEqual(created.object);
  await expect(cluster.create(configMaps, { namespace, body }, scope)).rejects.toMatchObject({ code: "AlreadyExists" });
  await cluster.delete(configMaps, { namespace, name: "one" }, scope);
  const gone = { code: "NotFound" };
  await expect(cluster.get(configMaps, { namespace, name: "one" }, scope)).rejects.toMatchObject(gone);
  await expect(cluster.delete(configMaps, { namespace, name: "one" }, scope)).rejects.toMatchObject(gone);
  const bad = bodyFromObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not A Name", namespace } });
  await expect(cluster.create(configMaps, { namespace, body: bad }, scope)).rejects.toMatchObject({
    code: "InvalidArgument",
  });
  expect((await cluster.version(scope)).gitVersion).toMatch(/^v1\./);
}

async function keepsNumbers({ cluster, namespace, scope }: World): Promise<void> {
  const pods = (await cluster.discover(scope)).find("pods");
  if (!pods) throw new Error("the server has no pods");
  const spec = '{"containers":[{"name":"c","image":"i"}],"terminationGracePeriodSeconds":9007199254740993}';
  const metadata = JSON.stringify({ name: "big", namespace });
  const text = `{"apiVersion":"v1","kind":"Pod","metadata":${metadata},"spec":${spec}}`;
  await cluster.create(pods, { namespace, body: bodyFromBytes(Buffer.from(text)) }, scope);
  const read = await cluster.get(pods, { namespace, name: "big" }, scope);
  expect(Buffer.from(read.bytes).toString()).toContain('"terminationGracePeriodSeconds":9007199254740993');
  const patch = { metadata: { labels: { a: "b" } } };
  const patched = await cluster.patch(pods, { namespace, name: "big", patchType: "merge", patch }, scope);
  expect(Buffer.from(patched.bytes).toString()).toContain('"terminationGracePeriodSeconds":9007199254740993');
}

async function patches({ cluster, configMaps, namespace, scope }: World): Promise<void> {
  await cluster.create(configMaps, { namespace, body: configMap(namespace, "patched") }, scope);
  const name = { namespace, name: "patched" };
  await cluster.patch(configMaps, { ...name, patchType: "merge", patch: { data: { merge: "1" } } }, scope);
  const add = [{ op: "add", path: "/data/json", value: "2" }];
  await cluster.patch(configMaps, { ...name, patchType: "json", patch: add }, scope);
  const { object } = await cluster.patch(
    configMaps,
    { ...name, patchType: "strategic", patch: { data: { text: null } } },
    scope,
  );
  expect(object["data"]).toEqual({ merge: "1", json: "2" });
}

async function follows({ cluster, configMaps, namespace, scope }: World): Promise<void> {
  const name = { namespace, name: "followed" };
  const states = cluster.follow(configMaps, name, scope)[Symbol.asyncIterator]();
  const next = async () => (await states.next()).value?.["data"];
  expect(await next()).toBe(undefined);
  await cluster.create(configMaps, { namespace, body: configMap(namespace, "followed", "first") }, scope);
  await cluster.create(configMaps, { namespace, body: configMap(namespace, "neighbour", "other") }, scope);
  expect(await next()).toEqual({ text: "first" });
  await cluster.patch(configMaps, { ...name, patchType: "merge", patch: { data: { text: "second" } } }, scope);
  expect(await next()).toEqual({ text: "second" });
  await cluster.delete(configMaps, name, scope);
  expect(await next()).toBe(undefined);
  await states.return?.();
}
