import { fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { type Answer, sendJson, sendStatus, startServer } from "../../test/scripted-server.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const resource = (name: string, kind: string, more: object = {}) => ({
  resource: name,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get", "list"],
  ...more,
});

const group = (name: string, ...versions: object[]) => ({ metadata: name === "" ? {} : { name }, versions });

const modern: Answer = ({ url }, response) => {
  const items =
    url === "/api"
      ? [
          group("", {
            version: "v1",
            resources: [resource("pods", "Pod", { shortNames: ["po"] }), resource("events", "Event")],
          }),
        ]
      : [
          group(
            "apps",
            {
              version: "v1",
              resources: [
                resource("deployments", "Deployment", {
                  shortNames: ["deploy"],
                  categories: ["all"],
                  subresources: [{ subresource: "status" }],
                }),
              ],
            },
            {
              version: "v1beta1",
              resources: [resource("deployments", "Deployment"), resource("rollbacks", "Rollback")],
            },
          ),
          group("events.k8s.io", { version: "v1", resources: [resource("events", "Event", { shortNames: ["ev"] })] }),
          group("metrics.example.io", { version: "v1", freshness: "Stale", resources: [] }),
        ];
  sendJson(response, 200, { kind: "APIGroupDiscoveryList", items }, { "content-type": aggregatedType });
};

const legacy: Answer = ({ url }, response) => {
  const list = (resources: object[]) => sendJson(response, 200, { kind: "APIResourceList", resources });
  switch (url) {
    case "/api":
      return sendJson(response, 200, { kind: "APIVersions", versions: ["v1"] });
    case "/apis": {
      const versions = [{ version: "v2" }, { version: "v1" }];
      const broken = { name: "broken.example.io", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } };
      return sendJson(response, 200, {
        groups: [{ name: "batch", versions, preferredVersion: { version: "v1" } }, broken],
      });
    }
    case "/api/v1":
      return list([
        { name: "pods", kind: "Pod", namespaced: true, verbs: ["get"], singularName: "pod", shortNames: ["po"] },
        { name: "pods/status", kind: "Pod", namespaced: true, verbs: ["get"] },
      ]);
    case "/apis/batch/v1":
      return list([{ name: "jobs", kind: "Job", namespaced: true, verbs: ["list"], singularName: "job" }]);
    case "/apis/batch/v2":
      return list([
        { name: "jobs", kind: "Job", namespaced: true, verbs: ["list"], singularName: "job" },
        { name: "queues", kind: "Queue", namespaced: false, verbs: ["list"], singularName: "queue" },
      ]);
    default:
      return sendStatus(response, 503, "ServiceUnavailable");
  }
};

async function discoverOn(answer: Answer) {
  using scope = testScope();
  await using server = await startServer(answer);
  await using client = await connectTo(server.url, scope, { options: { clock: fakeClock({ autoAdvance: true }) } });
  return { found: await client.discover(scope), requests: server.requests.length };
}

describe("discovery in one document", () => {
  test("takes two requests and keeps the server's order", async () => {
    const { found, requests } = await discoverOn(modern);
    expect(requests).toBe(2);
    expect(found.groups.map(({ name }) => name)).toEqual(["", "apps", "events.k8s.io", "metrics.example.io"]);
    expect(found.groups[1]).toEqual({ name: "apps", preferredVersion: "v1", versions: ["v1", "v1beta1"] });
    expect(found.resources).toHaveLength(6);
  });

  test("prefers the group's first version that has a resource", async () => {
    const { found } = await discoverOn(modern);
    const names = found.preferred().map(({ resource: name, version, group: of }) => `${name}.${version}.${of}`);
    expect(names).toEqual([
      "pods.v1.",
      "events.v1.",
      "deployments.v1.apps",
      "rollbacks.v1beta1.apps",
      "events.v1.events.k8s.io",
    ]);
  });

  test("reports a group whose server does not answer", async () => {
    const { found } = await discoverOn(modern);
    expect(found.failures).toMatchObject([
      { group: "metrics.example.io", version: "v1", error: { code: "Unavailable" } },
    ]);
  });

  const names: Record<string, string | undefined> = {
    deploy: "deployments.v1.apps",
    Deployment: "deployments.v1.apps",
    "deployments.apps": "deployments.v1.apps",
    "deploy.apps": "deployments.v1.apps",
    "deployments.v1beta1.apps": "deployments.v1beta1.apps",
    pods: "pods.v1.",
    po: "pods.v1.",
    pod: "pods.v1.",
    events: "events.v1.",
    "events.events.k8s.io": "events.v1.events.k8s.io",
    ev: "events.v1.events.k8s.io",
    "rollbacks.apps": "rollbacks.v1beta1.apps",
    "pods.apps": undefined,
    nothing: undefined,
  };
  test("finds what people mean", async () => {
    const { found } = await discoverOn(modern);
    for (const [name, want] of Object.entries(names)) {
      const type = found.find(name);
      expect(type && `${type.resource}.${type.version}.${type.group}`, name).toBe(want);
    }
  });

  test("knows subresources and categories", async () => {
    const { found } = await discoverOn(modern);
    expect(found.find("deploy")).toMatchObject({ subresources: ["status"], categories: ["all"], namespaced: true });
  });
});

describe("discovery the old way", () => {
  test("asks group by group, and one that fails does not spoil the rest", async () => {
    const { found } = await discoverOn(legacy);
    expect(found.find("pods")).toMatchObject({ kind: "Pod", subresources: ["status"], shortNames: ["po"] });
    expect(found.find("jobs")).toMatchObject({ version: "v1", group: "batch" });
    expect(found.find("queues")).toMatchObject({ version: "v2", namespaced: false });
    expect(found.failures).toMatchObject([
      { group: "broken.example.io", version: "v1", error: { code: "Unavailable" } },
    ]);
  });

  test("fails when there is nothing at all", async () => {
    await expect(discoverOn((_, response) => sendStatus(response, 403, "Forbidden"))).rejects.toMatchObject({
      code: "PermissionDenied",
    });
  });
});
