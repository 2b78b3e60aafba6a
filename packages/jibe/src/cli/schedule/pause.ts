import { AppError } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Schedule } from "../../api/resources.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { type Command, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

const pauseFlags = {
  all: flag.boolean("All schedules"),
  selector: flag.string("Those that match this label selector", "", { short: "l" }),
  skipImmediately: flag.optionalBoolean("Whether to wait for the next time when it goes on"),
} as const;

export const schedulePause = pauseCommand({ verb: "pause", done: "paused", paused: true });
export const scheduleUnpause = pauseCommand({ verb: "unpause", done: "unpaused", paused: false });

function pauseCommand({
  verb,
  done,
  paused,
}: {
  verb: string;
  done: string;
  paused: boolean;
}): Command<typeof pauseFlags> {
  return command({
    usage: `schedule ${verb} [NAME…]`,
    summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} schedules`,
    flags: pauseFlags,
    async run({ args, flags }, world, scope) {
      const ways = Number(args.length > 0) + Number(flags.all) + Number(flags.selector !== "");
      if (ways !== 1)
        throw new AppError("InvalidArgument", "say which schedules: names, --all, or --selector, one of them");
      await using access = await openClusterAccess(flags, world, scope);
      const chosen =
        args.length > 0
          ? args
          : (await access.list<Schedule>(veleroTypes.schedule, flags.selector, scope)).map(
              ({ metadata }) => metadata.name,
            );
      if (chosen.length === 0) world.out.line("No schedules found");
      for (const name of chosen) {
        const schedule = await access.get<Schedule>(veleroTypes.schedule, name, scope);
        if ((schedule.spec.paused ?? false) === paused) {
          world.out.line(`Schedule ${name} is already ${done}, skip`);
          continue;
        }
        const spec = { paused, skipImmediately: flags.skipImmediately ?? null };
        await access.patch(veleroTypes.schedule, name, { spec }, scope);
        world.out.line(`Schedule ${name} ${done} successfully`);
      }
      return exitCode.ok;
    },
  });
}
