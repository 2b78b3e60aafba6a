import { join } from "node:path";
import { tempDir, testScope } from "@jibe/testkit";
import { buildGoProgram } from "@jibe/testkit/peers";
import { expect, test } from "vitest";
import { verifyPlugin } from "./index.ts";

const packages = join(import.meta.dirname, "../../..");

async function failedChecks(folder: string, configs: Record<string, Record<string, string>> = {}) {
  const scope = testScope();
  const command = await buildGoProgram(join(packages, folder), scope);
  await using state = await tempDir("verify-go");
  const withRoot = Object.entries(configs).map(([name, config]) => [name, { ...config, root: state.path }]);
  const env = { ...process.env, PLUGIN_STATE_DIR: state.path };
  const report = await verifyPlugin(command, { env, configs: Object.fromEntries(withRoot) }, scope);
  expect(report.results.length).toBeGreaterThan(10);
  return report.results
    .filter(({ outcome }) => outcome !== "passed")
    .map(({ subject, check, reason }) => ({ check: `${subject}: ${check}`, reason }));
}

test("of plugins on Velero's framework it finds fault with those alone that exit", async () => {
  const configs = { "example.io/filesystem": { bucket: "b" }, "example.io/volumes": {} };
  const failed = await failedChecks("testkit/go/velero-plugins", configs);
  const checks = failed.map(({ check }) => check);
  for (const action of ["BackupItemAction example.io/bia1-exit", "RestoreItemAction example.io/ria1-exit"]) {
    expect(checks).toContain(`${action}: answers with a whole item, or says why not`);
    expect(checks).toContain(`${action}: takes an item of 3 MiB`);
  }
  expect(checks.filter((check) => !check.includes("1-exit: "))).toEqual([]);
  expect(failed[0]?.reason).toContain("exited with status 3");
});

test("it tells a plugin in Go that Velero would refuse it", async () => {
  expect(await failedChecks("plugin-sdk/test/go/snapshotter-v2")).toEqual([
    {
      check: "executable: announces nothing that Velero would refuse",
      reason: "without JIBE_PLUGIN_KINDS it still announces VolumeSnapshotterV2",
    },
    expect.objectContaining({
      check: "VolumeSnapshotterV2 example.io/go-snapshots: says that a volume of another kind is not its own",
    }),
  ]);
});
