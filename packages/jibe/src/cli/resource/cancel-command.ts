import { AppError } from "@jibe/base";
import { annotations, canceledByUser } from "../../api/names.ts";
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
      const { isEnded } = await import("@jibe/engine");
      const refuse = (why: string) => new AppError("InvalidArgument", `${kind} ${JSON.stringify(name)} ${why}`);
      const statusNow = async () => (await access.get<Backup | Restore>(veleroTypes[kind], name, scope)).status ?? {};
      const { phase } = await statusNow();
      if (isEnded(phase)) throw refuse(`has already ended: ${phase}`);
      const metadata = { annotations: { [annotations.cancel]: "true" } };
      await access.patch(veleroTypes[kind], name, { metadata }, scope);
      world.out.line(`Request to cancel ${kind} "${name}" submitted successfully.`);
      if (!flags.wait) return exitCode.ok;
      const { waitForEnd } = await import("../wait/wait-for-end.ts");
      await waitForEnd({ kind, name }, { access, world, flags }, scope);
      const { phase: end, failureReason } = await statusNow();
      if (failureReason !== canceledByUser) throw refuse(`came to its end before it could be canceled: ${end}`);
      return exitCode.ok;
    },
  });
}
