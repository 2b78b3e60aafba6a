import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError, type Clock, Secret, systemClock } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryStore } from "../memory/memory-store.ts";
import { serveObjects } from "./serve-objects.ts";
import { createUrlSigner } from "./url-signer.ts";

const object = { location: "default", key: "backups/b/ä.json" };

function signerAt(time: { ms: number }, secret = "one", baseUrl = "https://jibe.example/base/") {
  const clock: Clock = { ...systemClock, now: () => new Date(time.ms) };
  return createUrlSigner({ secret: new Secret(secret), baseUrl, clock });
}

const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

test("a token gives back what was signed, also in another process with the same secret", () => {
  const time = { ms: 1_000_000 };
  const url = signerAt(time).sign(object, 60_000);
  expect(url).toMatch(/^https:\/\/jibe\.example\/base\/objects\/[\w-]+\.[\w-]+$/);
  expect(signerAt(time).verify(tokenOf(url))).toEqual(object);
});

test("a token ends on time", () => {
  const time = { ms: 1_000_000 };
  const signer = signerAt(time);
  const token = tokenOf(signer.sign(object, 60_000));
  time.ms += 59_999;
  expect(signer.verify(token)).toEqual(object);
  time.ms += 1;
  expect(() => signer.verify(token)).toThrow(new AppError("PermissionDenied", "the object URL has expired"));
});

test("a token that was changed, or made with another secret, is refused", () => {
  const time = { ms: 0 };
  const token = tokenOf(signerAt(time).sign(object, 60_000));
  const [payload, mac] = token.split(".");
  const other = Buffer.from(JSON.stringify(["default", "other", 1e15])).toString("base64url");
  for (const bad of [`${other}.${mac}`, `${payload}.`, "", ".", `${token}.x`, `${payload}.AAAA`]) {
    expect(() => signerAt(time).verify(bad)).toThrow(AppError);
  }
  expect(() => signerAt(time, "two").verify(token)).toThrow(AppError);
});

test("the handler answers with the right status and leaves other paths alone", async () => {
  using scope = testScope();
  const store = memoryStore(new Map([[object.key, Buffer.from("content")]]));
  const time = { ms: 0 };
  const signer = signerAt(time, "one", "");
  const handle = serveObjects({ signer, openLocation: async () => store });
  const server = createServer(async (request, response) => {
    if (!(await handle(request, response, scope))) response.writeHead(418).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const status = async (path: string, method = "GET") => {
    const response = await fetch(base + path, { method });
    return [response.status, await response.text()];
  };
  expect(await status(signer.sign(object, 1000))).toEqual([200, "content"]);
  expect(await status(signer.sign(object, 1000), "HEAD")).toEqual([200, ""]);
  expect(await status(signer.sign({ ...object, key: "absent" }, 1000))).toEqual([
    404,
    expect.stringContaining("absent"),
  ]);
  expect(await status("/objects/forged.token")).toEqual([403, expect.stringContaining("not valid")]);
  expect((await status(signer.sign(object, 1000), "DELETE"))[0]).toBe(405);
  expect((await status("/metrics"))[0]).toBe(418);
  const url = signer.sign(object, 1000);
  time.ms += 1000;
  expect(await status(url)).toEqual([403, expect.stringContaining("the object URL has expired")]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
