import { secret } from "@jibe/testkit";
import { expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld } from "./product/product-world.ts";

test("a snapshot location without its credentials refuses backups until they are there", {
  timeout: 120_000,
}, async () => {
  await using world = await ProductWorld.start();
  await using _server = await world.startServer();
  await world.addLocation();
  await world.untilPhase("backupStorageLocation", "default", ["Available"]);
  await world.create(veleroTypes.volumeSnapshotLocation, {
    apiVersion: "velero.io/v1",
    kind: "VolumeSnapshotLocation",
    metadata: { name: "cloud", namespace: "velero" },
    spec: { provider: "jibe.io/local-volume", credential: { name: "cloud", key: "key" } },
  });

  await world.jibe("backup", "create", "refused", "--wait");
  expect(await world.untilEnded("backup", "refused")).toMatchObject({
    status: {
      phase: "FailedValidation",
      validationErrors: [
        expect.stringContaining(
          'error adding credentials to volume snapshot location named cloud: secret "cloud" not found in namespace "velero": create it',
        ),
      ],
    },
  });

  await world.create(coreTypes.secret, secret("cloud", { namespace: "velero" }));
  await world.jibe("backup", "create", "keyless", "--wait");
  expect(await world.untilEnded("backup", "keyless")).toHaveProperty("status.phase", "FailedValidation");
  await world.client.patch(
    coreTypes.secret,
    { namespace: "velero", name: "cloud", contentType: "merge", patch: { data: { key: "c2VjcmV0" } } },
    world.scope,
  );
  await world.jibe("backup", "create", "taken", "--wait");
  expect(await world.untilEnded("backup", "taken")).toHaveProperty("status.phase", "Completed");
});
