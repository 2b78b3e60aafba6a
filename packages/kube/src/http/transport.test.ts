import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer as createTcpServer } from "node:net";
import { eventually, fakeClock, testScope } from "@jibe/testkit";
import { loopbackCertificate } from "@jibe/testkit/peers";
import { describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { sendJson, sendStatus, startServer } from "../../test/scripted-server.ts";
import { type ResourceRef, statusOf } from "../index.ts";

const pods: ResourceRef = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
const web = { namespace: "shop", name: "web" };
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } };
const quick = () => ({ options: { clock: fakeClock({ autoAdvance: true }) } });

describe("retries", () => {
  test("a reading is tried again when the server fails for a while", async () => {
    using scope = testScope();
    await using server = await startServer((_, response, count) =>
      count < 4 ? sendStatus(response, 503, "ServiceUnavailable") : sendJson(response, 200, pod),
    );
    await using client = await connectTo(server.url, scope, quick());
    expect(await client.get(pods, web, scope)).toEqual(pod);
    expect(server.requests).toHaveLength(4);
  });

  test("a reading is tried again when the connection breaks", async () => {
    using scope = testScope();
    await using server = await startServer((_, response, count) =>
      count === 1 ? response.destroy() : sendJson(response, 200, pod),
    );
    await using client = await connectTo(server.url, scope, quick());
    expect(await client.get(pods, web, scope)).toEqual(pod);
  });

  test("a create is never sent twice once the server may have seen it", async () => {
    using scope = testScope();
    await using server = await startServer((_, response, count) =>
      count === 1 ? response.destroy() : sendStatus(response, 500, "InternalError"),
    );
    await using client = await connectTo(server.url, scope, quick());
    const create = () => client.create(pods, { namespace: "shop", object: pod }, scope);
    await expect(create()).rejects.toMatchObject({ code: "Unavailable" });
    await expect(create()).rejects.toMatchObject({ code: "Unavailable" });
    expect(server.requests).toHaveLength(2);
  });

  test("a create refused with 429 is sent again after the time the server asked for, and fewer run at once", async () => {
    using scope = testScope();
    await using server = await startServer((_, response, count) =>
      count === 1
        ? sendStatus(response, 429, "TooManyRequests", { details: { retryAfterSeconds: 7 } })
        : sendJson(response, 201, pod),
    );
    const clock = fakeClock();
    await using client = await connectTo(server.url, scope, { options: { clock, maxConcurrent: 8 } });
    const created = client.create(pods, { namespace: "shop", object: pod }, scope);
    await clock.untilSleeping();
    expect(clock.pendingSleeps()).toEqual([7000]);
    expect(client.concurrency).toBe(4);
    await clock.advance(7000);
    await created;
  });

  test("a create that could not be sent is tried again", async () => {
    using scope = testScope();
    const free = createTcpServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, "close");
    const clock = fakeClock();
    await using client = await connectTo(`http://127.0.0.1:${port}`, scope, { options: { clock } });
    const created = client.create(pods, { namespace: "shop", object: pod }, scope);
    await clock.untilSleeping();
    await using server = createServer((_, response) => sendJson(response, 201, pod)).listen(port, "127.0.0.1");
    await once(server, "listening");
    await clock.advance(60_000 - 1);
    expect(await created).toEqual(pod);
    server.closeAllConnections();
  });

  test("what fails for good is reported at once", async () => {
    using scope = testScope();
    await using server = await startServer((_, response) => sendStatus(response, 403, "Forbidden"));
    await using client = await connectTo(server.url, scope);
    const failed = client.get(pods, web, scope);
    await expect(failed).rejects.toMatchObject({
      code: "PermissionDenied",
      message: 'cannot get pods "web" in namespace "shop": refused: Forbidden',
    });
    expect(statusOf(await failed.catch((error) => error))).toMatchObject({ code: 403, reason: "Forbidden" });
  });
});

describe("stopping", () => {
  test("a call ends with its deadline, and tells what went wrong before", async () => {
    using scope = testScope();
    await using server = await startServer((_, response) =>
      sendStatus(response, 503, "Down", { details: { retryAfterSeconds: 20 } }),
    );
    const clock = fakeClock();
    await using client = await connectTo(server.url, scope, { options: { clock, requestTimeoutMs: 5000 } });
    const failed = expect(client.get(pods, web, scope)).rejects.toMatchObject({
      code: "DeadlineExceeded",
      cause: { code: "Unavailable" },
    });
    await clock.untilSleeping();
    await clock.advance(5000);
    await failed;
  });

  test("a silent server costs no more than the deadline", async () => {
    using scope = testScope();
    await using server = await startServer(() => {});
    const clock = fakeClock();
    await using client = await connectTo(server.url, scope, { options: { clock } });
    const failed = expect(client.get(pods, web, scope)).rejects.toMatchObject({ code: "DeadlineExceeded" });
    await eventually(() => server.requests.length === 1);
    await clock.advance(60_000);
    await failed;
  });

  test("being stopped passes the reason through untouched", async () => {
    using scope = testScope();
    await using server = await startServer(() => {});
    await using client = await connectTo(server.url, scope);
    const reason = new Error("enough");
    const failed = expect(client.get(pods, web, scope)).rejects.toBe(reason);
    await eventually(() => server.requests.length === 1);
    scope.abort(reason);
    await failed;
  });
});

describe("who we are", () => {
  test("impersonation is asked for with every request", async () => {
    using scope = testScope();
    await using server = await startServer((_, response) => sendJson(response, 200, pod));
    const user = {
      token: "t",
      as: "jane",
      "as-groups": ["dev", "ops"],
      "as-uid": "7",
      "as-user-extra": { "a/b": ["c"] },
    };
    await using client = await connectTo(server.url, scope, { user });
    await client.get(pods, web, scope);
    const [request] = server.requests;
    expect(request?.headers).toMatchObject({
      authorization: "Bearer t",
      "impersonate-user": "jane",
      "impersonate-uid": "7",
      "impersonate-extra-a%2fb": "c",
    });
    const groups = request?.rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() === "impersonate-group");
    expect(groups).toEqual(["dev", "ops"]);
  });

  test("a name with password is sent as such", async () => {
    using scope = testScope();
    await using server = await startServer((_, response) => sendJson(response, 200, pod));
    await using client = await connectTo(server.url, scope, { user: { username: "jane", password: "p" } });
    await client.get(pods, web, scope);
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from("jane:p").toString("base64")}`);
  });
});

describe("TLS", () => {
  const { cert, key } = loopbackCertificate("kube-test");
  const data = (pem: string) => Buffer.from(pem).toString("base64");
  const startTls = (more = {}) => startServer((_, response) => sendJson(response, 200, pod), { cert, key, ...more });

  test("a server is trusted by the authority of its cluster", async () => {
    using scope = testScope();
    await using server = await startTls();
    await using client = await connectTo(server.url, scope, { cluster: { "certificate-authority-data": data(cert) } });
    expect(await client.get(pods, web, scope)).toEqual(pod);
  });

  test("a server that is not trusted gets nothing, and the error says what to look at", async () => {
    using scope = testScope();
    await using server = await startTls();
    await using client = await connectTo(server.url, scope);
    await expect(client.get(pods, web, scope)).rejects.toMatchObject({
      code: "PermissionDenied",
      message: expect.stringContaining("check certificate-authority"),
    });
    expect(server.requests).toEqual([]);
  });

  test("insecure-skip-tls-verify trusts anyone", async () => {
    using scope = testScope();
    await using server = await startTls();
    await using client = await connectTo(server.url, scope, { cluster: { "insecure-skip-tls-verify": true } });
    expect(await client.get(pods, web, scope)).toEqual(pod);
  });

  test("tls-server-name is the name that the certificate must have", async () => {
    using scope = testScope();
    const asked: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void) => {
      asked.push(name);
      done(null);
    };
    await using server = await startTls({ SNICallback });
    const ca = { "certificate-authority-data": data(cert) };
    await using right = await connectTo(server.url, scope, { cluster: { ...ca, "tls-server-name": "localhost" } });
    expect(await right.get(pods, web, scope)).toEqual(pod);
    expect(asked).toContain("localhost");
    await using wrong = await connectTo(server.url, scope, { cluster: { ...ca, "tls-server-name": "else.where" } });
    await expect(wrong.get(pods, web, scope)).rejects.toMatchObject({ code: "PermissionDenied" });
  });

  test("a client certificate is presented", async () => {
    using scope = testScope();
    const client = loopbackCertificate("jane");
    await using server = await startTls({ requestCert: true, rejectUnauthorized: true, ca: client.cert });
    const cluster = { "certificate-authority-data": data(cert) };
    const user = { "client-certificate-data": data(client.cert), "client-key-data": data(client.key) };
    await using known = await connectTo(server.url, scope, { cluster, user });
    expect(await known.get(pods, web, scope)).toEqual(pod);
  });

  test("a proxy is asked to connect", async () => {
    using scope = testScope();
    await using server = await startTls();
    const targets: (string | undefined)[] = [];
    await using proxy = createServer().listen(0, "127.0.0.1");
    proxy.on("connect", ({ url = "" }, socket) => {
      targets.push(url);
      const [host, port] = url.split(":");
      const upstream = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    const cluster = { "certificate-authority-data": data(cert), "proxy-url": `http://127.0.0.1:${port}` };
    await using client = await connectTo(server.url, scope, { cluster });
    expect(await client.get(pods, web, scope)).toEqual(pod);
    expect(targets).toEqual([`127.0.0.1:${server.port}`]);
    await client[Symbol.asyncDispose]();
    proxy.closeAllConnections();
  });
});
