import { existsSync } from "node:fs";
import { eventually } from "@jibe/testkit";
import { expect, test } from "vitest";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { customResourceDefinitions } from "../../packages/jibe/src/crds/index.ts";
import { ProductWorld, patiently } from "./product/product-world.ts";

/** Our definitions without the one field that is ours alone: a backup's as Velero installs it. */
function withoutCancel(): readonly object[] {
  return customResourceDefinitions().map((definition) => {
    if (definition.metadata.name !== "backups.velero.io") return definition;
    const text = JSON.stringify(definition, (key, value: unknown) => (key === "cancel" ? undefined : value));
    return JSON.parse(text) as object;
  });
}

test("where the installed definitions lack our field, a backup is canceled by its annotation", {
  timeout: 120_000,
}, async () => {
  await using world = await ProductWorld.start({ definitions: withoutCancel() });
  await using _server = await world.startServer();
  await world.addLocation();
  await world.untilPhase("backupStorageLocation", "default", ["Available"]);
  await world.deployHeld("slow", "execute");
  await world.jibe("backup", "create", "slow", "--include-namespaces=slow");
  await eventually(() => existsSync(world.held("reached-slow")), patiently);

  const place = { namespace: "velero", name: "slow" };
  const patched = (patch: object) =>
    world.client.patch(veleroTypes.backup, { ...place, contentType: "merge", patch }, world.scope);
  expect(await patched({ spec: { cancel: true } })).not.toHaveProperty("spec.cancel");
  expect(await world.find("backup", "slow")).toHaveProperty("status.phase", "InProgress");

  await patched({ metadata: { annotations: { "jibe.io/cancel": "true" } } });
  const { status } = await world.untilPhase("backup", "slow", ["Failed"]);
  expect(status).toMatchObject({ failureReason: "Canceled by user" });
});
