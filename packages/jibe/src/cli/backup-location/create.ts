import { readFile } from "node:fs/promises";
import { AppError, formatGoDuration, type Scope } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { withoutEmpty } from "../backup/spec-flags.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { credentialFlag, credentialFrom } from "../credential-flag.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { printInstead, printInsteadFlags } from "../print/print-instead.ts";
import { backupLocationTable } from "./backup-location-table.ts";

export const backupLocationCreate = command({
  usage: "backup-location create NAME --provider PROVIDER --bucket BUCKET",
  summary: "Create a backup storage location",
  examples: [
    "jibe backup-location create default --default --provider aws --bucket backups --config region=eu-west-1",
    "jibe backup-location create local --provider jibe.io/filesystem --bucket backups --config root=/var/lib/jibe",
  ],
  flags: {
    provider: flag.string("Name of the store's plugin, such as aws or jibe.io/filesystem"),
    bucket: flag.string("Bucket that holds the backups"),
    prefix: flag.string("Prefix of all keys in the bucket"),
    credential: credentialFlag,
    default: flag.boolean("Make it the location of backups that name none"),
    backupSyncPeriod: flag.optionalDuration("How often to look for backups of others (0: never)"),
    validationFrequency: flag.optionalDuration("How often to check that it can be used (0: once)"),
    config: flag.map("Settings of the plugin"),
    labels: flag.map("Labels to put on it"),
    cacert: flag.string("File with the certificates of the store", "", { placeholder: "path" }),
    accessMode: flag.choice("Whether backups may be written there", ["ReadWrite", "ReadOnly"], "ReadWrite"),
    ...printInsteadFlags,
  },
  async run({ args, flags }, world, scope) {
    const [name, ...more] = args;
    if (!name || more.length > 0)
      throw new AppError("InvalidArgument", "one name is needed: jibe backup-location create NAME");
    for (const required of ["provider", "bucket"] as const) {
      if (flags[required] === "") throw new AppError("InvalidArgument", `--${required} is required`);
    }
    await using access = await openClusterAccess(flags, world, scope);
    const span = (ms: number | undefined) => (ms === undefined ? undefined : formatGoDuration(ms));
    const location: BackupStorageLocation = {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: {
        name,
        namespace: access.namespace,
        ...(Object.keys(flags.labels).length > 0 ? { labels: { ...flags.labels } } : {}),
      },
      spec: withoutEmpty<BackupStorageLocation["spec"]>({
        provider: flags.provider,
        objectStorage: withoutEmpty<NonNullable<BackupStorageLocation["spec"]["objectStorage"]>>({
          bucket: flags.bucket,
          prefix: flags.prefix,
          caCert: flags.cacert ? (await readFile(flags.cacert)).toString("base64") : undefined,
        }),
        config: Object.keys(flags.config).length > 0 ? { ...flags.config } : undefined,
        credential: credentialFrom(flags.credential),
        default: flags.default || undefined,
        accessMode: flags.accessMode,
        backupSyncPeriod: span(flags.backupSyncPeriod),
        validationFrequency: span(flags.validationFrequency),
      }),
    };
    if (await printInstead(location, flags, backupLocationTable, world)) return exitCode.ok;
    if (flags.default) await refuseSecondDefault(name, access, scope);
    await access.create(veleroTypes.backupStorageLocation, location, scope);
    world.out.line(`Backup storage location "${name}" configured successfully.`);
    return exitCode.ok;
  },
});

/** There can be one default location. */
export async function refuseSecondDefault(name: string, access: ClusterAccess, scope: Scope): Promise<void> {
  const locations = await access.list<BackupStorageLocation>(veleroTypes.backupStorageLocation, "", scope);
  const other = locations.find(({ metadata, spec }) => spec.default && metadata.name !== name);
  if (other) {
    throw new AppError(
      "AlreadyExists",
      `there is already a default backup storage location: ${other.metadata.name}; unset it first with jibe backup-location set ${other.metadata.name} --default=false`,
    );
  }
}
