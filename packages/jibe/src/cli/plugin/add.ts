import { AppError } from "@jibe/base";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { containerName } from "../install/server-pods.ts";
import { changeServerPods, pluginsVolume, withPlugin } from "./server-deployment.ts";

export const pluginAdd = command({
  usage: "plugin add IMAGE",
  summary: "Add a plugin's image to the server",
  description:
    "Add a plugin to the server's deployment: an init container of this image copies it into the plugin folder. The server restarts; what it runs is continued.",
  examples: ["jibe plugin add registry.example.com/velero-plugin-for-x:v1.2.0 --confirm"],
  flags: {
    imagePullPolicy: flag.choice("When to pull the image", ["IfNotPresent", "Always", "Never"], "IfNotPresent"),
    confirm: flag.boolean("Restart the server without asking"),
  },
  async run({ args, flags }, world, scope) {
    const [image, ...more] = args;
    if (!image || more.length > 0) throw new AppError("InvalidArgument", "one image is needed: jibe plugin add IMAGE");
    await using access = await openClusterAccess(flags, world, scope);
    if (!flags.confirm && !(await isConfirmed("Adding a plugin restarts the server.", world))) return exitCode.ok;
    const plugin = {
      name: containerName(image),
      image,
      imagePullPolicy: flags.imagePullPolicy,
      volumeMounts: [{ name: pluginsVolume, mountPath: "/target" }],
    };
    await changeServerPods((spec) => withPlugin(spec, plugin), access, scope);
    world.out.line(`Plugin ${plugin.name} added; the server restarts with it.`);
    return exitCode.ok;
  },
});
