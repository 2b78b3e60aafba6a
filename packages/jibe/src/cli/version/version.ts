import packageJson from "../../../package.json" with { type: "json" };
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

/** The version of this build. */
export const clientVersion = `v${packageJson.version}`;

export const version = command({
  usage: "version",
  summary: "Show the versions of the client and of the server",
  flags: {
    clientOnly: flag.boolean("Only get the client's version, not the server's"),
    timeout: flag.duration("How long to wait for the server to answer", 5000),
  },
  async run({ flags }, { out }) {
    out.line(`Client:\n\tVersion: ${clientVersion}`);
    if (flags.clientOnly) return exitCode.ok;
    return exitCode.ok;
  },
});
