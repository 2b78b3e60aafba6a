import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { messageOf, systemClock } from "@jibe/base";
import { type TempDir, type TestScope, tempDir, testScope } from "@jibe/testkit";
import { loopbackCertificate } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { s3SettingsFrom } from "./s3-settings.ts";
import { openS3Store } from "./s3-store.ts";

// What each key of a location's configuration changes in the requests that go out.

let scope: TestScope;
let folder: TempDir;
let credentialsFile: string;

beforeAll(async () => {
  scope = testScope();
  folder = await tempDir("s3-requests");
  credentialsFile = join(folder.path, "cloud");
  const profile = (name: string, key: string) => `[${name}]\naws_access_key_id=${key}\naws_secret_access_key=s\n`;
  await writeFile(credentialsFile, profile("default", "KEY1") + profile("backup", "KEY2"));
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

function open(config: Record<string, string>) {
  const settings = s3SettingsFrom({ region: "eu-west-1", credentialsFile, ...config });
  const limits = { attempts: 1, idleTimeoutMs: 30_000 };
  return openS3Store({ bucket: "bucket", prefix: "", settings, clock: systemClock, limits });
}

const addresses: Record<string, { config: Record<string, string>; says: string }> = {
  "region, and AWS where no other server is named": {
    config: { region: "ap-south-1" },
    says: "https://bucket.s3.ap-south-1.amazonaws.com/key KEY1/ap-south-1",
  },
  s3Url: { config: { s3Url: "http://s3.example:9000" }, says: "http://bucket.s3.example:9000/key KEY1/eu-west-1" },
  s3ForcePathStyle: {
    config: { s3Url: "http://s3.example:9000", s3ForcePathStyle: "true" },
    says: "http://s3.example:9000/bucket/key KEY1/eu-west-1",
  },
  publicUrl: {
    config: { s3Url: "http://inside:9000", publicUrl: "https://outside.example", s3ForcePathStyle: "true" },
    says: "https://outside.example/bucket/key KEY1/eu-west-1",
  },
  "profile, in the file of credentialsFile": {
    config: { profile: "backup" },
    says: "https://bucket.s3.eu-west-1.amazonaws.com/key KEY2/eu-west-1",
  },
};
describe("a signed URL follows", () => {
  for (const [key, { config, says }] of Object.entries(addresses)) {
    test(key, async () => {
      await using store = await open(config);
      const { origin, pathname, searchParams } = new URL(await store.signedUrl("key", 60_000, scope));
      const [accessKey, , region] = searchParams.get("X-Amz-Credential")?.split("/") ?? [];
      expect(`${origin}${pathname} ${accessKey}/${region}`).toBe(says);
      expect(searchParams.get("X-Amz-Expires")).toBe("60");
    });
  }
});

/** A server that takes any object and keeps the headers of each request. */
async function recording(start: (listener: RequestListener) => Server) {
  const seen: IncomingHttpHeaders[] = [];
  const server = start((request, response) => {
    seen.push(request.headers);
    request.resume().once("end", () => response.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    seen,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const headers: Record<string, { config: Record<string, string>; want: IncomingHttpHeaders }> = {
  kmsKeyId: {
    config: { kmsKeyId: "alias/velero" },
    want: {
      "x-amz-server-side-encryption": "aws:kms",
      "x-amz-server-side-encryption-aws-kms-key-id": "alias/velero",
    },
  },
  serverSideEncryption: {
    config: { serverSideEncryption: "AES256" },
    want: { "x-amz-server-side-encryption": "AES256" },
  },
  checksumAlgorithm: {
    config: { checksumAlgorithm: "SHA256" },
    want: { "x-amz-checksum-sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=" },
  },
  tagging: { config: { tagging: "team=storage&env=test" }, want: { "x-amz-tagging": "team=storage&env=test" } },
};
describe("a stored object follows", () => {
  for (const [key, { config, want }] of Object.entries(headers)) {
    test(key, async () => {
      await using server = await recording((listener) => createHttpServer(listener));
      await using store = await open({ s3Url: `http://127.0.0.1:${server.port}`, ...config });
      await store.put("key", () => hello(), scope);
      expect(server.seen).toEqual([expect.objectContaining(want)]);
    });
  }

  test("an empty checksumAlgorithm: nothing is computed", async () => {
    await using server = await recording((listener) => createHttpServer(listener));
    await using store = await open({ s3Url: `http://127.0.0.1:${server.port}`, checksumAlgorithm: "" });
    await store.put("key", () => hello(), scope);
    expect(Object.keys(server.seen[0] ?? {}).filter((name) => name.includes("checksum"))).toEqual([]);
  });
});

describe("a server whose certificate nobody knows", () => {
  const { cert, key } = loopbackCertificate("s3");
  const cases: Record<string, { config: Record<string, string>; arrives: boolean }> = {
    "is refused": { config: {}, arrives: false },
    "is trusted with its certificate as caCert": { config: { caCert: cert }, arrives: true },
    "is refused with another caCert": { config: { caCert: loopbackCertificate("other").cert }, arrives: false },
    "is trusted with insecureSkipTLSVerify": { config: { insecureSkipTLSVerify: "true" }, arrives: true },
  };
  for (const [name, { config, arrives }] of Object.entries(cases)) {
    test(name, async () => {
      await using server = await recording((listener) => createHttpsServer({ cert, key }, listener));
      await using store = await open({ s3Url: `https://127.0.0.1:${server.port}`, ...config });
      const outcome = await store
        .put("key", () => hello(), scope)
        .then(
          () => "",
          (error: unknown) => messageOf(error),
        );
      expect(outcome).toMatch(arrives ? /^$/ : /^cannot store "key" in bucket "bucket": .*certificate/);
      expect(server.seen).toHaveLength(arrives ? 1 : 0);
    });
  }
});

async function* hello(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("hello");
}
