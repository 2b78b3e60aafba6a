import { AppError } from "@jibe/base";
import { annotations } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { type Command, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { waitFlags } from "../wait/wait-flags.ts";

/** `cancel` of a backup or restore. Asked by annotation, which holds whichever definitions are installed. */
export function cancelCommand(kind: "backup" | "restore"): Command<typeof waitFlags> {
  return command({
    usage: `${kind} cancel NAME`,
    summary: `Stop a ${kind}`,
    flags: waitFlags,
    async run({ args, flags }, world, scope) {
      const [name, ...more] = args;
      if (!name || more.length > 0)
        throw new AppError("InvalidArgument", `one name is needed: jibe ${kind} cancel NAME`);
      await using access = await openClusterAccess(flags, world, scope);
      const object = await access.get<Backup | Restore>(veleroTypes[kind], name, scope);
      const { isEnded } = await import("@jibe/engine");
      if (isEnded(object.status?.phase)) {
        throw new AppError(
          "InvalidArgument",
          `${kind} ${JSON.stringify(name)} has already ended: ${object.status?.phase}`,
        );
      }
      const metadata = { annotations: { [annotations.cancel]: "true" } };
      await access.patch(veleroTypes[kind], name, { metadata }, scope);
      world.out.line(`Request to cancel ${kind} "${name}" submitted successfully.`);
      if (!flags.wait) return exitCode.ok;
      const { waitForEnd } = await import("../wait/wait-for-end.ts");
      await waitForEnd({ kind, name }, { access, world, flags }, scope);
      return exitCode.ok;
    },
  });
}
