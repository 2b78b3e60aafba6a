import { AppError } from "@jibe/base";
import { openClusterAccess } from "../cluster-access.ts";
import { type Command, command } from "../command.ts";
import { waitFlags } from "../wait/wait-flags.ts";

const { wait: _, ...watchFlags } = waitFlags;

/** `watch` of a backup or restore: what `--wait` shows, for a run that is under way. */
export function watchCommand(kind: "backup" | "restore"): Command<typeof watchFlags> {
  return command({
    usage: `${kind} watch NAME`,
    summary: `Show how a ${kind} goes, live`,
    flags: watchFlags,
    async run({ args, flags }, world, scope) {
      const [name, ...more] = args;
      if (!name || more.length > 0)
        throw new AppError("InvalidArgument", `one name is needed: jibe ${kind} watch NAME`);
      await using access = await openClusterAccess(flags, world, scope);
      const { waitForEnd } = await import("../wait/wait-for-end.ts");
      return await waitForEnd({ kind, name }, { access, world, flags }, scope);
    },
  });
}
