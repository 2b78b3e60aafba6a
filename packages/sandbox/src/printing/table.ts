import type { JsonObject } from "../schema/json-object.ts";
import { customPrinter } from "./custom-printer.ts";
import { createdAt } from "./other-printers.ts";
import { partialObject } from "./partial-object.ts";
import type { ColumnDefinition, Printer, RowCondition } from "./printer.ts";
import { printers } from "./printers.ts";

/** What tells how a type is printed. */
export interface TableKind {
  readonly group: string;
  readonly plural: string;
  /** Set for custom resources: their `additionalPrinterColumns`. */
  readonly custom?: { readonly printerColumns: readonly unknown[] } | undefined;
}

export interface TableOptions {
  readonly now: Date;
  /** What each row carries besides its cells. */
  readonly includeObject: "None" | "Metadata" | "Object";
  /** `resourceVersion` and, for a page of a list, `continue` and `remainingItemCount`. */
  readonly metadata: JsonObject;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly RowCondition[];
  readonly object: JsonObject | null;
}

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: "meta.k8s.io/v1";
  readonly metadata: JsonObject;
  readonly columnDefinitions: readonly ColumnDefinition[];
  readonly rows: readonly TableRow[];
}

/** Objects as `kubectl get` asks for them. Wide columns are always there; the client leaves them out by priority. */
export function tableFor(kind: TableKind, objects: readonly JsonObject[], options: TableOptions): Table {
  const printer = printerFor(kind);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: options.metadata,
    columnDefinitions: printer.columns,
    rows: objects.map((object) => rowOf(printer, object, options)),
  };
}

function printerFor({ group, plural, custom }: TableKind): Printer {
  if (custom) return customPrinter(custom.printerColumns);
  const key = group === "" ? plural : `${plural}.${group}`;
  return (Object.hasOwn(printers, key) ? printers[key] : undefined) ?? createdAt;
}

function rowOf(printer: Printer, object: JsonObject, { now, includeObject }: TableOptions): TableRow {
  const conditions = printer.conditions?.(object);
  const carried = { None: null, Metadata: partialObject(object), Object: object }[includeObject];
  return { cells: printer.cells(object, now), ...(conditions ? { conditions } : {}), object: carried };
}
