import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { systemClock } from "@jibe/base";
import type { ObjectStore as ObjectStoreContract } from "@jibe/plugin-sdk/contracts";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { type ObjectStoreLocation, type ObjectStoreSources, openObjectStore } from "./open-object-store.ts";

const none: ObjectStoreSources = { clock: systemClock, findPlugin: async () => undefined };

test("a location on the file system is opened by its root", async () => {
  using scope = testScope();
  await using directory = await tempDir("open-store");
  const location = {
    name: "default",
    provider: "jibe.io/filesystem",
    bucket: "b",
    prefix: "p",
    config: { root: directory.path },
  };
  await using store = await openObjectStore(location, none, scope);
  await store.put("backups/x", async function* () {}, scope);
  expect(await Array.fromAsync(store.list("", scope))).toEqual(["backups/x"]);
  await using archive = await openObjectStore({ ...location, accessMode: "ReadOnly" }, none, scope);
  await expect(archive.delete("backups/x", scope)).rejects.toMatchObject({ code: "PermissionDenied" });
  expect(await archive.exists("backups/x", scope)).toBe(true);
});

test("aws is built in under both of its names", async () => {
  using scope = testScope();
  for (const provider of ["aws", "velero.io/aws"]) {
    await using store = await openObjectStore(
      { name: "s3", provider, bucket: "b", config: { region: "eu-west-1" } },
      none,
      scope,
    );
    expect(store.signedUrl).toBeTypeOf("function");
  }
});

test("the SDK for S3 is loaded only when a location needs it", async () => {
  await using directory = await tempDir("open-store");
  const base = import.meta.resolve("@jibe/base");
  const script = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ resolve: (name, context, next) => (/@aws-sdk/.test(name) && loaded++, next(name, context)) });
    const { openObjectStore } = await import(${JSON.stringify(new URL("open-object-store.ts", import.meta.url))});
    const { silentLogger, systemClock: clock } = await import(${JSON.stringify(base)});
    const scope = { signal: new AbortController().signal, log: silentLogger };
    const open = (location) =>
      openObjectStore({ name: "x", bucket: "b", ...location }, { clock, findPlugin: async () => {} }, scope);
    await open({ provider: "jibe.io/filesystem", config: { root: ${JSON.stringify(directory.path)} } });
    const before = loaded;
    await open({ provider: "aws", config: { region: "r" } });
    console.log(before, loaded > 0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  expect(stdout).toBe("0 true\n");
});

test("a plugin on disk wins over the built-in store, is initialised as Velero does, and the log says so", async () => {
  using scope = testScope();
  const asked: string[] = [];
  const configs: Readonly<Record<string, string>>[] = [];
  const plugin = {
    init: async (config: Readonly<Record<string, string>>) => void configs.push(config),
    objectExists: async (bucket: string, key: string) => bucket === "b" && key === "some/prefix/x",
  } as unknown as ObjectStoreContract;
  const findPlugin = async (name: string) => {
    asked.push(name);
    return plugin;
  };
  const location: ObjectStoreLocation = {
    name: "default",
    provider: "aws",
    bucket: "/b/",
    prefix: "/some/prefix/",
    config: { region: "r" },
    caCert: "PEM",
    credentialsFile: "/c",
  };
  await using store = await openObjectStore(location, { ...none, findPlugin }, scope);
  expect(asked).toEqual(["velero.io/aws"]);
  expect(configs).toEqual([{ region: "r", bucket: "b", prefix: "some/prefix", caCert: "PEM", credentialsFile: "/c" }]);
  expect(await store.exists("x", scope)).toBe(true);
  expect(scope.messages("info")).toEqual(["using the plugin on disk instead of the built-in store"]);
});

const refusals: Record<string, { location: Partial<ObjectStoreLocation>; want: object }> = {
  "a provider that is not installed": {
    location: { provider: "example.io/gone" },
    want: {
      code: "NotFound",
      message: expect.stringContaining('no object store plugin "example.io/gone" is installed'),
    },
  },
  "a bucket with a slash": {
    location: { bucket: "a/b" },
    want: { code: "InvalidArgument", message: expect.stringContaining("prefix") },
  },
  "an empty bucket": { location: { bucket: "" }, want: { code: "InvalidArgument" } },
  "a file system without root": {
    location: { provider: "jibe.io/filesystem", config: {} },
    want: { code: "InvalidArgument", message: expect.stringContaining("config.root") },
  },
  "a misspelt key": {
    location: { provider: "jibe.io/filesystem", config: { root: "/x", rot: "y" } },
    want: { code: "InvalidArgument", message: expect.stringContaining("rot") },
  },
};
for (const [name, { location, want }] of Object.entries(refusals)) {
  test(`opening a location refuses ${name}`, async () => {
    using scope = testScope();
    const whole = { name: "default", provider: "aws", bucket: "b", ...location };
    await expect(openObjectStore(whole, none, scope)).rejects.toMatchObject(want);
  });
}
