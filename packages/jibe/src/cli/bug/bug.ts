import { release } from "node:os";
import { messageOf, type Scope, withDeadline } from "@jibe/base";
import { openClusterAccess } from "../cluster-access.ts";
import { type CliWorld, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { readSettings } from "../settings.ts";
import { clientVersion } from "../version/client-version.ts";
import { serverStatus } from "../version/server-status.ts";

const answerMs = 5000;

export const bug = command({
  usage: "bug",
  summary: "Print what a report of a problem needs",
  description:
    "Print a text to fill in and send with a report: what to tell, and the versions in use. Nothing is sent and no browser is opened.",
  examples: ["jibe bug > report.md"],
  flags: {},
  async run({ flags }, world, scope) {
    const settings = await readSettings(world.env);
    const features = flags.features.join(",") || settings.features || "none";
    const { server, kubernetes } = await clusterVersions(flags, world, scope);
    world.out.text(
      report([
        ["jibe", clientVersion],
        ["Server", server],
        ["Kubernetes", kubernetes],
        ["Features", features],
        ["Node", process.version],
        ["System", `${process.platform} ${process.arch} ${release()}`],
      ]),
    );
    return exitCode.ok;
  },
});

/** What answers, or why nothing does: a report is often about just that. */
async function clusterVersions(flags: Parameters<typeof openClusterAccess>[0], world: CliWorld, scope: Scope) {
  const { clock } = world;
  const orWhy = async (what: string, ask: (inner: Scope) => Promise<string>) => {
    try {
      return await withDeadline({ ms: answerMs, clock, what }, scope, ask);
    } catch (error) {
      scope.signal.throwIfAborted();
      return `no answer: ${messageOf(error)}`;
    }
  };
  const kubernetes = await orWhy("asking the cluster", async (inner) => {
    await using access = await openClusterAccess(flags, world, inner);
    return (await access.client.version(inner)).gitVersion;
  });
  if (kubernetes.startsWith("no answer")) return { kubernetes, server: "not asked" };
  const server = await orWhy("asking the server", async (inner) => {
    await using access = await openClusterAccess(flags, world, inner);
    return (await serverStatus({ access, clock, timeoutMs: answerMs }, inner)).serverVersion ?? "unknown";
  });
  return { kubernetes, server };
}

function report(facts: readonly (readonly [string, string])[]): string {
  return `## What did you do, and what happened?

## What did you expect?

## What helps to find it

Attach the bundle that \`jibe debug --backup NAME\` or \`jibe debug --restore NAME\` writes.
It holds no secrets; look through it before you hand it on.

## Versions

${facts.map(([name, value]) => `- ${name}: ${value}`).join("\n")}
`;
}
