import { AppError } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { VolumeSnapshotLocation } from "../../api/resources.ts";
import { withoutEmpty } from "../backup/spec-flags.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { credentialFlag, credentialFrom } from "../credential-flag.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { printInstead, printInsteadFlags } from "../print/print-instead.ts";
import { snapshotLocationTable } from "./snapshot-location-table.ts";

export const snapshotLocationCreate = command({
  usage: "snapshot-location create NAME --provider PROVIDER",
  summary: "Create a volume snapshot location",
  flags: {
    provider: flag.string("Name of the snapshotter's plugin, such as aws or jibe.io/local-volume"),
    config: flag.map("Settings of the plugin"),
    labels: flag.map("Labels to put on it"),
    credential: credentialFlag,
    ...printInsteadFlags,
  },
  async run({ args, flags }, world, scope) {
    const [name, ...more] = args;
    if (!name || more.length > 0)
      throw new AppError("InvalidArgument", "one name is needed: jibe snapshot-location create NAME");
    if (flags.provider === "") throw new AppError("InvalidArgument", "--provider is required");
    await using access = await openClusterAccess(flags, world, scope);
    const location: VolumeSnapshotLocation = {
      apiVersion: "velero.io/v1",
      kind: "VolumeSnapshotLocation",
      metadata: {
        name,
        namespace: access.namespace,
        ...(Object.keys(flags.labels).length > 0 ? { labels: { ...flags.labels } } : {}),
      },
      spec: withoutEmpty<VolumeSnapshotLocation["spec"]>({
        provider: flags.provider,
        config: Object.keys(flags.config).length > 0 ? { ...flags.config } : undefined,
        credential: credentialFrom(flags.credential),
      }),
    };
    if (await printInstead(location, flags, snapshotLocationTable, world)) return exitCode.ok;
    await access.create(veleroTypes.volumeSnapshotLocation, location, scope);
    world.out.line(`Snapshot volume location "${name}" configured successfully.`);
    return exitCode.ok;
  },
});
