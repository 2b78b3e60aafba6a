import { AppError } from "@jibe/base";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { changeServerPods, withoutPlugin } from "./server-deployment.ts";

export const pluginRemove = command({
  usage: "plugin remove NAME|IMAGE",
  summary: "Remove a plugin's image from the server",
  description: "Remove a plugin from the server's deployment. The server restarts; what it runs is continued.",
  flags: { confirm: flag.boolean("Restart the server without asking") },
  async run({ args, flags }, world, scope) {
    const [plugin, ...more] = args;
    if (!plugin || more.length > 0)
      throw new AppError("InvalidArgument", "one plugin is needed: jibe plugin remove NAME|IMAGE");
    await using access = await openClusterAccess(flags, world, scope);
    if (!flags.confirm && !(await isConfirmed("Removing a plugin restarts the server.", world))) return exitCode.ok;
    await changeServerPods((spec) => withoutPlugin(spec, plugin), access, scope);
    world.out.line(`Plugin ${plugin} removed; the server restarts without it.`);
    return exitCode.ok;
  },
});
