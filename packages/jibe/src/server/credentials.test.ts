import { readFile, stat } from "node:fs/promises";
import { AppError } from "@jibe/base";
import { bodyFromObject, type Cluster } from "@jibe/engine";
import { secret, tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { secretCredentials } from "./credentials.ts";

const data = { cloud: Buffer.from("key=hush").toString("base64") };
/** A cluster that has one Secret. */
const cluster = {
  get: async (_type: unknown, { name }: { readonly name: string }) => {
    if (name !== "creds") throw new AppError("NotFound", "not found");
    return bodyFromObject(secret("creds", { namespace: "velero", data }));
  },
} as unknown as Cluster;

test("credentials become a file that only the server can read, anew each time", async () => {
  using scope = testScope();
  await using dir = await tempDir("credentials");
  const credentials = secretCredentials({ cluster, namespace: "velero", directory: dir.path });
  const path = await credentials.file({ name: "creds", key: "cloud" }, scope);
  expect(await credentials.file({ name: "creds", key: "cloud" }, scope)).toBe(path);
  expect(await readFile(path, "utf8")).toBe("key=hush");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("credentials that are missing name the Secret or the key, and no content", async () => {
  using scope = testScope();
  await using dir = await tempDir("credentials");
  const credentials = secretCredentials({ cluster, namespace: "velero", directory: dir.path });
  await expect(credentials.read({ name: "gone", key: "cloud" }, scope)).rejects.toThrow(
    'secret "gone" not found in namespace "velero": create it',
  );
  await expect(credentials.read({ name: "creds", key: "other" }, scope)).rejects.toThrow(
    /^secret "creds" has no key "other"$/,
  );
});
