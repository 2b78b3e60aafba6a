import { hasCode } from "@jibe/base";
import { configMap, eventually, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTo } from "../test/connect-to.ts";
import { connectCluster, type KubeClient, type ResourceRef, statusOf } from "./index.ts";

const ref = (group: string, version: string, resource: string, kind: string, namespaced = true): ResourceRef => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});
const configMaps = ref("", "v1", "configmaps", "ConfigMap");
const namespaces = ref("", "v1", "namespaces", "Namespace", false);
const deployments = ref("apps", "v1", "deployments", "Deployment");
const crds = ref("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false);
const widgets = ref("example.io", "v1", "widgets", "Widget");

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

const namespace = "default";
const make = (name: string, parts = {}) =>
  client.create(configMaps, { namespace, object: configMap(name, parts) }, scope);
const read = (name: string) => client.get(configMaps, { namespace, name }, scope);

describe("objects on a real API server", () => {
  test("are created, read, updated and deleted", async () => {
    const created = await make("crud");
    expect(await read("crud")).toEqual(created);
    const updated = await client.update(
      configMaps,
      { namespace, name: "crud", object: { ...created, data: { key: "changed" } } },
      scope,
    );
    expect(updated["data"]).toEqual({ key: "changed" });
    await client.delete(configMaps, { namespace, name: "crud" }, scope);
    await expect(read("crud")).rejects.toMatchObject({ code: "NotFound" });
  });

  test("say what stands against a write", async () => {
    const created = await make("refused");
    const again = make("refused");
    await expect(again).rejects.toMatchObject({ code: "AlreadyExists" });
    expect(statusOf(await again.catch((error) => error))).toMatchObject({ code: 409, reason: "AlreadyExists" });
    await client.update(configMaps, { namespace, name: "refused", object: { ...created, data: { a: "1" } } }, scope);
    const outdated = client.update(configMaps, { namespace, name: "refused", object: created }, scope);
    await expect(outdated).rejects.toMatchObject({ code: "Conflict" });
    const invalid = await make("Not A Name").catch((error: unknown) => error);
    expect(hasCode(invalid, "InvalidArgument")).toBe(true);
    expect(statusOf(invalid)?.causes).toMatchObject([{ field: "metadata.name" }]);
  });

  test("are patched in every way", async () => {
    await make("patched", { data: { a: "1", b: "2" } });
    const patch = (contentType: "json" | "merge" | "strategic" | "apply", body: unknown, more = {}) =>
      client.patch(configMaps, { namespace, name: "patched", contentType, patch: body, ...more }, scope);
    expect(await patch("merge", { data: { a: null } })).toMatchObject({ data: { b: "2" } });
    const steps = [{ op: "add", path: "/data/c", value: "3" }];
    expect(await patch("json", steps)).toMatchObject({ data: { b: "2", c: "3" } });
    expect(await patch("strategic", { metadata: { labels: { l: "1" } } })).toMatchObject({
      metadata: { labels: { l: "1" } },
    });
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "patched" }, data: { b: "mine" } };
    await expect(patch("apply", applied, { fieldManager: "me" })).rejects.toMatchObject({ code: "Conflict" });
    const forced = await patch("apply", applied, { fieldManager: "me", force: true });
    expect(forced["data"]).toEqual({ b: "mine", c: "3" });
    expect(forced.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "me", operation: "Apply" }),
    );
  });

  test("are only tried in a dry run", async () => {
    const object = configMap("dry");
    await client.create(configMaps, { namespace, object, dryRun: true, fieldManager: "me" }, scope);
    await expect(read("dry")).rejects.toMatchObject({ code: "NotFound" });
    await make("dry");
    await client.delete(configMaps, { namespace, name: "dry", dryRun: true }, scope);
    expect((await read("dry")).metadata.name).toBe("dry");
  });

  test("are checked strictly when asked", async () => {
    const object = { ...configMap("strict"), unknownField: 1 };
    const strict = client.create(configMaps, { namespace, object, fieldValidation: "Strict" }, scope);
    await expect(strict).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  test("have subresources", async () => {
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }] } };
    const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
    const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
    const created = await client.create(deployments, { namespace, object }, scope);
    const status = { replicas: 1, observedGeneration: 1 };
    const updated = await client.updateStatus(
      deployments,
      { namespace, name: "web", object: { ...created, status } },
      scope,
    );
    expect(updated["status"]).toMatchObject(status);
    const scale = { namespace, name: "web", subresource: "scale" };
    await client.patch(deployments, { ...scale, contentType: "merge", patch: { spec: { replicas: 5 } } }, scope);
    expect(await client.get(deployments, { namespace, name: "web" }, scope)).toMatchObject({ spec: { replicas: 5 } });
  });

  test("are deleted only as the one that was seen", async () => {
    const { metadata } = await make("seen");
    const wrong = { uid: "00000000-0000-0000-0000-000000000000" };
    const refused = client.delete(configMaps, { namespace, name: "seen", preconditions: wrong }, scope);
    await expect(refused).rejects.toMatchObject({ code: "Conflict" });
    const preconditions = { uid: metadata.uid ?? "" };
    await client.delete(configMaps, { namespace, name: "seen", preconditions, propagationPolicy: "Background" }, scope);
  });

  test("are deleted by the collection", async () => {
    for (const name of ["c1", "c2", "c3"]) await make(name, { labels: { batch: name === "c3" ? "two" : "one" } });
    await client.deleteCollection(configMaps, { namespace, labelSelector: "batch=one" }, scope);
    const left = await client.list(configMaps, { namespace, labelSelector: "batch" }, scope);
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(["c3"]);
  });

  test("keep integers and fields that nobody knows, through every path", async () => {
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const names = { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] };
    const spec = { group: "example.io", scope: "Namespaced", names, versions };
    const metadata = { name: "widgets.example.io" };
    const object = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec };
    await client.create(crds, { object }, scope);
    const json =
      '{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"w"},"big":9007199254740993,"odd":{"x":[1]}}';
    await eventually(() => client.createRaw(widgets, { namespace, object: Buffer.from(json) }, scope));
    const widget = await client.get(widgets, { namespace, name: "w" }, scope);
    const edited = await client.update(widgets, { namespace, name: "w", object: { ...widget, added: true } }, scope);
    expect(JSON.stringify(edited)).toContain('"big":9007199254740993');
    const raw = Buffer.from(await client.getRaw(widgets, { namespace, name: "w" }, scope)).toString("utf8");
    const [item] = (await client.listPages(widgets, { namespace }, scope).next()).value?.items ?? [];
    expect(item && Buffer.from(item.bytes).toString("utf8")).toBe(raw.trim());
    expect(raw).toContain('"odd":{"x":[1]}');
    expect((await client.discover(scope)).find("wd")).toMatchObject({ kind: "Widget", group: "example.io" });
  });
});

describe("discovery on a real API server", () => {
  test("names the resources that kubectl names", async () => {
    const aggregated = await client.discover(scope);
    expect(aggregated.failures).toEqual([]);
    expect(aggregated.find("deploy")).toMatchObject({ resource: "deployments", group: "apps", namespaced: true });
    const kubectl = await cluster.kubectl(["api-resources", "--no-headers", "-o", "name"]);
    const names = aggregated
      .preferred()
      .map(({ resource, group }) => (group === "" ? resource : `${resource}.${group}`))
      .toSorted();
    expect(names).toEqual(kubectl.stdout.trim().split("\n").toSorted());
  });

  test("tells the version", async () => {
    expect(await client.version(scope)).toMatchObject({ major: "1", gitVersion: expect.stringMatching(/^v1\./) });
  });
});

describe("access on a real API server", () => {
  const trust = () => ({ "certificate-authority-data": Buffer.from(cluster.caCert).toString("base64") });

  test("is refused to who has no rights, with the server's words", async () => {
    await using other = await connectTo(cluster.url, scope, { cluster: trust(), user: { token: cluster.userToken } });
    await expect(other.list(configMaps, { namespace }, scope)).rejects.toMatchObject({
      code: "PermissionDenied",
      message: expect.stringContaining('User "someone" cannot list resource "configmaps"'),
    });
  });

  test("is refused to who is unknown", async () => {
    await using other = await connectTo(cluster.url, scope, { cluster: trust(), user: { token: "wrong" } });
    await expect(other.version(scope)).rejects.toMatchObject({ code: "PermissionDenied" });
  });

  test("can be had as someone else", async () => {
    const impersonate = { user: "jane", groups: ["dev"], extra: { reason: ["test"] } };
    await using other = await connectCluster({ kubeconfig: cluster.kubeconfig, env: {}, impersonate }, scope);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const reviews = ref("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", false);
    const { status } = await other.create(reviews, { object: review }, scope);
    expect(status).toMatchObject({
      userInfo: { username: "jane", groups: expect.arrayContaining(["dev"]), extra: { reason: ["test"] } },
    });
  });

  test("is renewed by a plugin whose credentials have expired", async () => {
    // the first token is one the server no longer knows, though the plugin promised it for another year
    const script = `
      const fs = require("node:fs");
      const file = ${JSON.stringify(`${cluster.dir}/plugin-runs`)};
      fs.appendFileSync(file, ".");
      const token = fs.readFileSync(file, "utf8").length === 1 ? "expired" : ${JSON.stringify(cluster.token)};
      const expirationTimestamp = "2100-01-01T00:00:00Z";
      console.log(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token, expirationTimestamp } }));
    `;
    const apiVersion = "client.authentication.k8s.io/v1";
    const exec = { apiVersion, command: process.execPath, args: ["-e", script], interactiveMode: "Never" };
    await using other = await connectTo(cluster.url, scope, { cluster: trust(), user: { exec } });
    expect((await other.list(namespaces, {}, scope)).items.length).toBeGreaterThan(0);
  });
});
