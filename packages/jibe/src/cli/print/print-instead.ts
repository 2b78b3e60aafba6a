import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { CliWorld } from "../command.ts";
import { type FlagValues, flag } from "../flags.ts";
import { labelColumnFlags, withLabelColumns } from "./label-columns.ts";
import { printObjects } from "./objects.ts";
import { formatTable, type TableView } from "./table.ts";

/** The flags of every `create` with which the object is printed and not sent. */
export const printInsteadFlags = {
  output: flag.choice("Print the object instead of sending it", ["", "table", "json", "yaml"], "", { short: "o" }),
  ...labelColumnFlags,
} as const;

/** Prints an object in the form that was asked for; false when none was, so that the object is to be sent. */
export async function printInstead<T extends KubernetesObject>(
  object: T,
  flags: FlagValues<typeof printInsteadFlags>,
  view: TableView<T>,
  { out, clock }: CliWorld,
): Promise<boolean> {
  if (flags.output === "") return false;
  if (flags.output === "table") {
    const { header, row } = withLabelColumns(view, flags);
    out.line(formatTable(header, [row(object, clock.now())]));
  } else {
    await printObjects([object], flags.output, { listKind: `${object.kind}List`, out });
  }
  return true;
}
