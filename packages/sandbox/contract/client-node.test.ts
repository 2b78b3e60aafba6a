import {
  ApiextensionsV1Api,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../src/index.ts";

let sandbox: Sandbox;
let config: KubeConfig;
beforeAll(async () => {
  sandbox = await startSandbox();
  config = new KubeConfig();
  config.loadFromString(sandbox.kubeconfig());
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

test("the JavaScript client creates, reads, lists and deletes", async () => {
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: "team" } } });
  const created = await core.createNamespacedConfigMap({
    namespace: "team",
    body: { metadata: { name: "a" }, data: { k: "v" } },
  });
  expect(created.metadata?.uid).toBeDefined();
  const list = await core.listNamespacedConfigMap({ namespace: "team", fieldSelector: "metadata.name=a" });
  expect(list.items.map((item) => item.data)).toEqual([{ k: "v" }]);
  await core.deleteNamespacedConfigMap({ namespace: "team", name: "a" });
  await expect(core.readNamespacedConfigMap({ namespace: "team", name: "a" })).rejects.toMatchObject({ code: 404 });
});

test("the JavaScript client replaces a scale and reads a deployment", async () => {
  const apps = config.makeApiClient(AppsV1Api);
  const labels = { app: "web" };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } },
  };
  await apps.createNamespacedDeployment({ namespace: "default", body: { metadata: { name: "web" }, spec } });
  const scale = await apps.readNamespacedDeploymentScale({ namespace: "default", name: "web" });
  await apps.replaceNamespacedDeploymentScale({
    namespace: "default",
    name: "web",
    body: { ...scale, spec: { replicas: 4 } },
  });
  expect((await apps.readNamespacedDeployment({ namespace: "default", name: "web" })).spec?.replicas).toBe(4);
});

test("the JavaScript client works with a type that was just defined", async () => {
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  await definitions.createCustomResourceDefinition({
    body: {
      metadata: { name: "gadgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "gadgets", kind: "Gadget" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", x_kubernetes_preserve_unknown_fields: true } },
          },
        ],
      },
    },
  });
  const objects = KubernetesObjectApi.makeApiClient(config);
  await objects.create({ apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g", namespace: "default" } });
  const read = await objects.read({
    apiVersion: "example.com/v1",
    kind: "Gadget",
    metadata: { name: "g", namespace: "default" },
  });
  expect(read.metadata?.name).toBe("g");
});

test("the JavaScript client watches", async () => {
  const core = config.makeApiClient(CoreV1Api);
  const { promise: seen, resolve } = Promise.withResolvers<string>();
  const request = await new Watch(config).watch(
    "/api/v1/namespaces/default/secrets",
    {},
    (type: string, object: { metadata?: { name?: string } }) => resolve(`${type} ${object.metadata?.name}`),
    () => {},
  );
  await core.createNamespacedSecret({ namespace: "default", body: { metadata: { name: "watched" } } });
  expect(await seen).toBe("ADDED watched");
  request.abort();
});
