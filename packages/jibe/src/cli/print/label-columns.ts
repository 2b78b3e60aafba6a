import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { type FlagValues, flag } from "../flags.ts";
import type { TableView } from "./table.ts";

/** Flags of every command that can print a table of objects. */
export const labelColumnFlags = {
  showLabels: flag.boolean("Show labels in the last column"),
  labelColumns: flag.list("Labels to show as columns", [], { short: "L" }),
} as const;

/** A kind's table with the columns that the flags add. */
export function withLabelColumns<T extends KubernetesObject>(
  view: TableView<T>,
  { showLabels, labelColumns }: FlagValues<typeof labelColumnFlags>,
): TableView<T> {
  return {
    ...view,
    header: [
      ...view.header,
      ...labelColumns.map((label) => (label.split("/").pop() ?? label).toUpperCase()),
      ...(showLabels ? ["LABELS"] : []),
    ],
    row: (object, now) => [
      ...view.row(object, now),
      ...labelColumns.map((label) => object.metadata.labels?.[label] ?? ""),
      ...(showLabels ? [labelText(object)] : []),
    ],
  };
}

function labelText({ metadata }: KubernetesObject): string {
  const pairs = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length > 0 ? pairs.sort().join(",") : "<none>";
}
