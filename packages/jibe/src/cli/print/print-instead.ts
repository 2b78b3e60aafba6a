import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { CliWorld } from "../command.ts";
import { flag } from "../flags.ts";
import { printObjects } from "./objects.ts";
import { formatTable, type TableView } from "./table.ts";

/** The flag of every `create`: with it the object is printed and not sent. */
export const outputInstead = flag.choice("Print the object instead of sending it", ["", "table", "json", "yaml"], "", {
  short: "o",
});

/** Prints an object in the form that was asked for; false when none was, so that the object is to be sent. */
export async function printInstead<T extends KubernetesObject>(
  object: T,
  form: "" | "table" | "json" | "yaml",
  view: TableView<T>,
  { out, clock }: CliWorld,
): Promise<boolean> {
  if (form === "table") out.line(formatTable(view.header, [view.row(object, clock.now())]));
  else if (form !== "") await printObjects([object], form, { listKind: `${object.kind}List`, out });
  return form !== "";
}
