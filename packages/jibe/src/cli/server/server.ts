import { randomBytes } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { setFlagsFromString } from "node:v8";
import { AppError } from "@jibe/base";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { serverNamespace } from "../settings.ts";
import { logLevels, serverFlags } from "./server-flags.ts";

export const server = command({
  usage: "server",
  summary: "Run the server",
  description: "Run the server: it works on backups, restores and schedules until it is stopped.",
  flags: serverFlags,
  async run({ args, flags }, world, scope) {
    if (args.length > 0)
      throw new AppError("InvalidArgument", `the server takes no arguments, but got ${args.join(" ")}`);
    // The pages that a backup is done with lie outside the heap, and V8 collects them only when the heap itself has grown.
    setFlagsFromString("--heap-growing-percent=50");
    const { runServer } = await import("../../server/run-server.ts");
    const { disabledControllers, prioritiesFrom } = await import("../../server/server-config.ts");
    const { serverLogger } = await import("../../server/server-log.ts");
    const format = { level: logLevels[flags.logLevel], format: flags.logFormat };
    const log = serverLogger(world.out.text, { ...format, clock: world.clock });
    const config = {
      flags,
      namespace: await serverNamespace(flags.namespace, world.env),
      ...(flags.kubeconfig ? { kubeconfig: flags.kubeconfig } : {}),
      ...(flags.kubecontext ? { context: flags.kubecontext } : {}),
      env: world.env,
      pluginArgs: world.argv,
      disabled: disabledControllers(flags),
      priorities: prioritiesFrom(flags.restoreResourcePriorities),
      localZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      scratchDir: flags.scratchDir || world.env["VELERO_SCRATCH_DIR"] || tmpdir(),
      identity: `${hostname()}_${randomBytes(6).toString("hex")}`,
    };
    try {
      await runServer({ config, clock: world.clock }, { signal: scope.signal, log });
    } catch (error) {
      if (!scope.signal.aborted) throw error; // being stopped is how a server ends
    }
    return exitCode.ok;
  },
});
