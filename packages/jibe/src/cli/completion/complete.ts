import { withDeadline } from "@jibe/base";
import { type AccessFlags, openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { commandTable } from "../command-table.ts";
import { exitCode } from "../exit-code.ts";
import { candidates, type NamedKind } from "./candidates.ts";

const patienceMs = 3000;

/** What the shells' scripts ask: `jibe __complete -- WORDS… CURRENT` prints what may stand for the last word, a line each. */
export const complete = command({
  usage: "__complete -- [WORD…]",
  summary: "Print what may follow",
  flags: {},
  async run({ args }, world, scope) {
    const names = async (kind: NamedKind, flags: AccessFlags): Promise<readonly string[]> => {
      const { coreTypes, veleroTypes } = await import("../../api/resource-types.ts");
      const deadline = { ms: patienceMs, clock: world.clock, what: "listing names" };
      return withDeadline(deadline, scope, async (inner) => {
        await using access = await openClusterAccess(flags, world, inner);
        const found =
          kind === "namespace"
            ? (await access.client.list(coreTypes.namespace, {}, inner)).items
            : await access.list(veleroTypes[kind], "", inner);
        return found.map(({ metadata }) => metadata.name);
      }).catch(() => []); // without a cluster there are no names to offer, and no place to complain
    };
    for (const word of await candidates(args, commandTable, names)) world.out.line(word);
    return exitCode.ok;
  },
});
