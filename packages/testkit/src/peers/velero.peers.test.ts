import { expect, test } from "vitest";
import { tempDir } from "../temp-dir.ts";
import { testScope } from "../test-scope.ts";
import { startKubernetes } from "./kubernetes.ts";
import { startVelero } from "./velero.ts";
import { startVersitygw } from "./versitygw.ts";

test("a real Velero server answers its command line", async () => {
  using scope = testScope();
  await using kubernetes = await startKubernetes({}, scope);
  await using plugins = await tempDir("plugins");
  await using velero = await startVelero({ kubernetes, pluginDir: plugins.path }, scope);
  const { stdout } = await velero.cli(["version"]);
  expect(stdout).toMatch(/Server:\s+Version: v1\.18\.3/);
});

test("a real S3 server refuses what is not signed", async () => {
  using scope = testScope();
  await using server = await startVersitygw(scope);
  expect((await fetch(`${server.url}/${server.bucket}?list-type=2`)).status).toBe(403);
});
