import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ContractClient } from "../contract/contract-client.ts";
import { type Sandbox, startSandbox } from "./index.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

let sandbox: Sandbox;
let client: ContractClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new ContractClient(sandbox);
});
afterAll(async () => {
  client[Symbol.dispose]();
  await sandbox[Symbol.asyncDispose]();
});

const get = async (path: string) =>
  JSON.parse((await client.send({ method: "GET", path })).text) as Record<string, unknown>;

describe("who may come in", () => {
  const as = (token: string) => new ContractClient({ url: sandbox.url, token });

  test("a wrong token is refused", async () => {
    using stranger = as("wrong");
    const { code, text } = await stranger.send({ method: "GET", path: "/api" });
    expect(code).toBe(401);
    expect(JSON.parse(text)).toMatchObject({
      kind: "Status",
      reason: "Unauthorized",
      message: "Unauthorized",
      code: 401,
    });
  });

  test("health and version are open to all", async () => {
    for (const path of ["/healthz", "/readyz", "/livez", "/version"]) {
      const response = await new Promise<number>((resolve, reject) => {
        const session = connectHttp2(sandbox.url, { ca: sandbox.caCert });
        session.on("error", reject);
        const stream = session.request({ ":path": path });
        stream.on("response", (headers) => resolve(Number(headers[":status"])));
        stream.on("end", () => session.close());
        stream.resume();
      });
      expect(response).toBe(200);
    }
  });
});

describe("one port", () => {
  test("serves HTTP/2 to those who ask for it, with a certificate that can be verified", async () => {
    const session = connectHttp2(sandbox.url, { ca: sandbox.caCert });
    const stream = session.request({ ":path": "/api/v1/namespaces/default", authorization: `Bearer ${sandbox.token}` });
    let text = "";
    for await (const chunk of stream) text += chunk;
    session.close();
    expect(session.alpnProtocol).toBe("h2");
    expect(JSON.parse(text)).toMatchObject({ kind: "Namespace", metadata: { name: "default" } });
  });

  test("serves HTTP/1.1 to the others", async () => {
    expect(await get("/api/v1/namespaces/default")).toMatchObject({ kind: "Namespace" });
  });
});

describe("requests that are broken", () => {
  test("a body that is too large", async () => {
    const body = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "big" },
      data: { x: "y".repeat(4 << 20) },
    });
    const { code } = await client.send({ method: "POST", path: configMaps, body });
    expect(code).toBe(413);
  });

  test.each(["/api/v1/namespaces/%zz/configmaps", "//api//v1", "/apis/../../etc/passwd", "/api/v1/%00"])(
    "the path %s",
    async (path) => {
      expect((await client.send({ method: "GET", path })).code).toBeGreaterThanOrEqual(200);
      expect((await get("/version"))["major"]).toBe("1");
    },
  );

  test("bytes that are no HTTP, and connections that end half-way", async () => {
    const url = new URL(sandbox.url);
    for (const bytes of [
      "\x16\x03nonsense\r\n\r\n",
      "GET",
      "POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{",
    ]) {
      const socket = connectTls({
        host: "127.0.0.1",
        port: Number(url.port),
        ca: sandbox.caCert,
        servername: "localhost",
      });
      socket.on("error", () => {});
      await once(socket, "secureConnect");
      socket.write(bytes);
      socket.destroy();
      await once(socket, "close");
    }
    expect((await get("/version"))["major"]).toBe("1");
  });

  test("methods that do not exist", async () => {
    expect((await client.send({ method: "BREW", path: configMaps })).code).toBeGreaterThanOrEqual(400);
  });
});

describe("history", () => {
  test("a page of what is compacted is gone, with a token to go on without consistency", async () => {
    await using own = await startSandbox();
    using reader = new ContractClient(own);
    for (const name of ["a", "b", "c"]) await reader.send({ method: "POST", path: configMaps, body: configMap(name) });
    const page = JSON.parse((await reader.send({ method: "GET", path: `${configMaps}?limit=1` })).text) as {
      metadata: { continue: string };
    };
    await reader.send({ method: "DELETE", path: `${configMaps}/b` });
    own.compact();
    const gone = await reader.send({ method: "GET", path: `${configMaps}?limit=1&continue=${page.metadata.continue}` });
    expect(gone.code).toBe(410);
    const status = JSON.parse(gone.text) as { reason: string; metadata: { continue: string } };
    expect(status.reason).toBe("Expired");
    const rest = await reader.send({ method: "GET", path: `${configMaps}?continue=${status.metadata.continue}` });
    expect(JSON.parse(rest.text)).toMatchObject({
      items: [{ metadata: { name: "c" } }, { metadata: { name: "kube-root-ca.crt" } }],
    });
  });

  test("a watch from what is compacted ends with an error event", async () => {
    await using own = await startSandbox();
    using reader = new ContractClient(own);
    await reader.send({ method: "POST", path: configMaps, body: configMap("a") });
    own.compact();
    const lines = reader.lines(`${configMaps}?watch=true&resourceVersion=2`, () => {});
    const { value } = await lines.next();
    expect(JSON.parse(String(value))).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 410, reason: "Expired" },
    });
    expect((await lines.next()).done).toBe(true);
  });
});

describe("a data directory", () => {
  function dataDir(): string {
    const dir = mkdtempSync(join(tmpdir(), "sandbox-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  }

  test("keeps objects, custom types, certificate and token over a restart", async () => {
    const dir = dataDir();
    let before: { readonly token: string; readonly caCert: string };
    {
      await using first = await startSandbox({ dataDir: dir });
      using writer = new ContractClient(first);
      await writer.send({ method: "POST", path: configMaps, body: configMap("kept") });
      await writer.send({
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        body: JSON.stringify(widgets),
      });
      await writer.send({
        method: "POST",
        path: "/apis/example.com/v1/widgets",
        body: JSON.stringify({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } }),
      });
      before = { token: first.token, caCert: first.caCert };
    }
    await using second = await startSandbox({ dataDir: dir });
    using reader = new ContractClient(second);
    expect({ token: second.token, caCert: second.caCert }).toEqual(before);
    expect((await reader.send({ method: "GET", path: `${configMaps}/kept` })).code).toBe(200);
    expect((await reader.send({ method: "GET", path: "/apis/example.com/v1/widgets/w" })).code).toBe(200);
  });
});

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

test("a service account's token has the claims of Kubernetes", async () => {
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  const { text } = await client.send({ method: "POST", path, body: JSON.stringify({ spec: { audiences: ["me"] } }) });
  const { status } = JSON.parse(text) as { status: { token: string } };
  const [, claims = "", signature = ""] = status.token.split(".");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    aud: ["me"],
    sub: "system:serviceaccount:default:default",
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "default" } },
  });
  expect(signature).not.toBe("");
  using robot = new ContractClient({ url: sandbox.url, token: status.token });
  expect((await robot.send({ method: "GET", path: configMaps })).code).toBe(401);
});

test("the state of health can be asked for in words", async () => {
  const { text } = await client.send({ method: "GET", path: "/readyz?verbose" });
  expect(text).toBe("[+]ping ok\nreadyz check passed\n");
});

test("a sandbox is ready after less than 100 ms of work", async () => {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.threadCpuUsage();
    await using _own = await startSandbox();
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1000);
  }
  expect(Math.min(...times)).toBeLessThan(100);
});

test("disposing ends the watches of clients", async () => {
  const own = await startSandbox();
  using reader = new ContractClient(own);
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const lines = reader.lines(`${configMaps}?watch=true&resourceVersion=${Number.MAX_SAFE_INTEGER}`, resolve);
  const next = lines.next().then(
    ({ done }) => done,
    () => true,
  );
  await opened;
  await own[Symbol.asyncDispose]();
  expect(await next).toBe(true);
});

test("a custom type is served when its definition's writer hears of it", async () => {
  await using own = await startSandbox();
  using writer = new ContractClient(own);
  await writer.send({
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: JSON.stringify(widgets),
  });
  expect((await writer.send({ method: "GET", path: "/apis/example.com/v1/widgets" })).code).toBe(200);
});
