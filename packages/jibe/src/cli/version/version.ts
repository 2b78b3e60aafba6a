import { messageOf } from "@jibe/base";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { clientVersion } from "./client-version.ts";
import { serverStatus } from "./server-status.ts";

export const version = command({
  usage: "version",
  summary: "Show the versions of the client and of the server",
  flags: {
    clientOnly: flag.boolean("Only show the client's version"),
    timeout: flag.duration("How long to wait for the server's answer", 5000),
  },
  async run({ flags }, world, scope) {
    const { out, clock } = world;
    out.line(`Client:\n\tVersion: ${clientVersion}\n\tGit commit: -`);
    if (flags.clientOnly) return exitCode.ok;
    try {
      await using access = await openClusterAccess(flags, world, scope);
      const { serverVersion } = await serverStatus({ access, clock, timeoutMs: flags.timeout }, scope);
      out.line(`Server:\n\tVersion: ${serverVersion}`);
    } catch (error) {
      scope.signal.throwIfAborted();
      out.line(`<error getting server version: ${messageOf(error)}>`);
    }
    return exitCode.ok;
  },
});
