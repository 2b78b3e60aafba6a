import { eventually, testScope } from "@jibe/testkit";
import { startVelero } from "@jibe/testkit/peers";
import { expect, test } from "vitest";
import { GoVolumes } from "./go-volumes.ts";
import { RealWorld, shop, takesWork } from "./real-world.ts";
import { startSharedStore } from "./shared-store.ts";

test("a cluster is switched from Velero to jibe and back, with backups that both restore", {
  timeout: 240_000,
}, async () => {
  using scope = testScope();
  await using world = await RealWorld.start({}, scope);
  const { kubernetes } = world;
  await using store = await startSharedStore(kubernetes.dir);
  const { env, pluginDir } = store;
  const flags = ["--store-validation-frequency=1s", "--backup-sync-period=1s"];
  const velero = { kubernetes, pluginDir, env, flags };
  const volumes = await GoVolumes.install(kubernetes, pluginDir, scope);
  await kubernetes.apply(shop);
  const restored = async (name: string) =>
    (await kubernetes.kubectl(["get", "configmap", "settings", "-n", name, "-o=jsonpath={.data.color}"])).stdout;

  const first = await startVelero(velero, scope);
  const location = ["--provider=example.io/shared", "--bucket=bucket", `--config=root=${store.root}`, "--default"];
  await world.velero("backup-location", "create", "default", ...location);
  await eventually(async () => (await world.velero("backup-location", "get")).stdout.includes(" Available"), {
    timeoutMs: 40_000,
  });
  const made = await world.velero("backup", "create", "theirs", "--include-namespaces=shop", "--wait");
  expect(made.stdout).toContain("Completed");

  // Velero knows no lease; ours notices it all the same, and waits.
  const ours = world.serverWith(env, `--plugin-dir=${pluginDir}`, ...flags);
  await eventually(() => ours.output().includes("another server answers in this namespace"), { timeoutMs: 40_000 });
  expect(ours.output()).toContain("otherServer=v1.18.3");
  expect(ours.output()).not.toContain("server takes work");
  await first.kill();
  await first[Symbol.asyncDispose]();
  await takesWork(ours);
  const flagsOf = (from: string, to: string) => [`--from-backup=${from}`, `--namespace-mappings=shop:${to}`, "--wait"];
  expect(await world.jibe("restore", "create", "one", ...flagsOf("theirs", "by-jibe"))).toMatchObject({ exitCode: 0 });
  expect(await restored("by-jibe")).toBe("blue");
  await volumes.deploy("shop", "disk", "what the disk holds");
  expect(await world.jibe("backup", "create", "ours", "--include-namespaces=shop", "--wait")).toMatchObject({
    exitCode: 0,
  });
  expect(await volumes.calls()).toContain("Progress"); // the snapshot was an operation
  ours.interrupt();
  expect(await ours.ended).toMatchObject({ exitCode: 0 });

  await using second = await startVelero(velero, scope);
  const back = await world.velero("restore", "create", "two", ...flagsOf("ours", "by-velero"));
  expect({ ...back, logs: back.stdout.includes("Completed") ? "" : second.logs() }).toMatchObject({ logs: "" });
  expect(await restored("by-velero")).toBe("blue");
  expect(await volumes.contentOf("by-velero", "disk")).toBe("what the disk holds");
});
