import { AppError } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { credentialFlag, credentialFrom } from "../credential-flag.ts";
import { exitCode } from "../exit-code.ts";

export const snapshotLocationSet = command({
  usage: "snapshot-location set NAME",
  summary: "Change a volume snapshot location",
  flags: { credential: credentialFlag },
  async run({ args, flags }, world, scope) {
    const [name, ...more] = args;
    if (!name || more.length > 0)
      throw new AppError("InvalidArgument", "one name is needed: jibe snapshot-location set NAME");
    await using access = await openClusterAccess(flags, world, scope);
    await access.get(veleroTypes.volumeSnapshotLocation, name, scope);
    const credential = credentialFrom(flags.credential) ?? null;
    await access.patch(veleroTypes.volumeSnapshotLocation, name, { spec: { credential } }, scope);
    world.out.line(`Volume snapshot location "${name}" configured successfully.`);
    return exitCode.ok;
  },
});
