import { connectGrpc } from "@jibe/go-plugin";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { FirstCalls } from "./first-calls.ts";
import { limitsFrom } from "./settings.ts";

const limits = limitsFrom({ pluginDir: "", env: {} });

test("the first initialisation of a kind runs alone, and its failure does not keep others from theirs", async () => {
  const calls = new FirstCalls([], limits);
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = calls.initialize("ObjectStore", async () => {
    order.push("first begins");
    await first.promise;
    order.push("first ends");
    throw new Error("bad configuration");
  });
  const second = calls.initialize("ObjectStore", async () => void order.push("second"));
  const other = calls.initialize("VolumeSnapshotter", async () => void order.push("another kind"));
  await other;
  first.resolve();
  await expect(failing).rejects.toThrow("bad configuration");
  await second;
  expect(order).toEqual(["first begins", "another kind", "first ends", "second"]);
});

test("a plugin that cannot be asked does not keep its kind from being called", async () => {
  using nobody = connectGrpc({ network: "unix", address: "/nonexistent/socket" });
  const plugins = [{ command: "c", kind: "BackupItemAction", name: "x.io/a" }] as const;
  await new FirstCalls(plugins, limits).ready("BackupItemAction", nobody, testScope());
});
