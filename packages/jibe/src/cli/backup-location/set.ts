import { readFile } from "node:fs/promises";
import { AppError } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { credentialFlag, credentialFrom } from "../credential-flag.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { refuseSecondDefault } from "./create.ts";

export const backupLocationSet = command({
  usage: "backup-location set NAME",
  summary: "Change a backup storage location",
  flags: {
    default: flag.optionalBoolean("Whether it is the location of backups that name none"),
    cacert: flag.string("File with the certificates of the store", "", { placeholder: "path" }),
    credential: credentialFlag,
  },
  async run({ args, flags }, world, scope) {
    const [name, ...more] = args;
    if (!name || more.length > 0)
      throw new AppError("InvalidArgument", "one name is needed: jibe backup-location set NAME");
    await using access = await openClusterAccess(flags, world, scope);
    await access.get(veleroTypes.backupStorageLocation, name, scope);
    if (flags.default) await refuseSecondDefault(name, access, scope);
    const credential = credentialFrom(flags.credential);
    const caCert = flags.cacert === "" ? undefined : (await readFile(flags.cacert)).toString("base64");
    const spec = {
      ...(flags.default === undefined ? {} : { default: flags.default }),
      ...(credential ? { credential } : {}),
      ...(caCert === undefined ? {} : { objectStorage: { caCert } }),
    };
    await access.patch(veleroTypes.backupStorageLocation, name, { spec }, scope);
    world.out.line(`Backup storage location "${name}" configured successfully.`);
    return exitCode.ok;
  },
});
