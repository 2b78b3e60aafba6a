import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { formatTable } from "../print/table.ts";
import { serverStatus } from "../version/server-status.ts";

export const pluginGet = command({
  usage: "plugin get",
  summary: "List the plugins that the server found",
  flags: {
    timeout: flag.duration("How long to wait for the server's answer", 5000),
    output: flag.choice("How to print", ["table", "json"], "table", { short: "o" }),
  },
  async run({ flags }, world, scope) {
    await using access = await openClusterAccess(flags, world, scope);
    const { plugins = [] } = await serverStatus({ access, clock: world.clock, timeoutMs: flags.timeout }, scope);
    const sorted = [...plugins].sort((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1));
    if (flags.output === "json") world.out.line(JSON.stringify(sorted, undefined, 2));
    else
      world.out.line(
        formatTable(
          ["NAME", "KIND"],
          sorted.map(({ name, kind }) => [name, kind]),
        ),
      );
    return exitCode.ok;
  },
});
