import { messageOf } from "@jibe/base";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { clientVersion } from "./client-version.ts";

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
      // Who asks for the client alone need not wait for these to load.
      const [{ openClusterAccess }, { serverStatus }] = await Promise.all([
        import("../cluster-access.ts"),
        import("./server-status.ts"),
      ]);
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
