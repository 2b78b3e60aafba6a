import { isRawNumber } from "@jibe/base";
import { isJsonObject } from "../schema/json-object.ts";
import { nameOf, since } from "./cells.ts";
import { compileJsonPath } from "./json-path.ts";
import { type ColumnDefinition, columnsOf, type Printer } from "./printer.ts";
import { numberAt, textAt } from "./read.ts";
import { scalarText } from "./scalar-text.ts";

interface CustomColumn {
  readonly definition: ColumnDefinition;
  readonly find: (value: unknown) => readonly unknown[];
}

const ageColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The printer of a custom resource by its `additionalPrinterColumns`; without any it shows the age. */
export function customPrinter(printerColumns: readonly unknown[]): Printer {
  const columns = (printerColumns.length > 0 ? printerColumns : [ageColumn]).map(readColumn);
  return {
    columns: [...columnsOf("Name"), ...columns.map(({ definition }) => definition)],
    cells: (object, now) => [
      nameOf(object),
      ...columns.map(({ definition, find }) => {
        const [value] = find(object);
        return value === undefined || value === null ? null : cellOf(definition.type, value, now);
      }),
    ],
  };
}

function readColumn(column: unknown): CustomColumn {
  const source = isJsonObject(column) ? column : {};
  const jsonPath = textAt(source, "jsonPath");
  return {
    definition: {
      name: textAt(source, "name"),
      type: textAt(source, "type"),
      format: textAt(source, "format"),
      description:
        textAt(source, "description") || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority: numberAt(source, "priority"),
    },
    find: compileJsonPath(jsonPath) ?? (() => []),
  };
}

function cellOf(type: string, value: unknown, now: Date): unknown {
  const number = isRawNumber(value) ? Number(value.rawJSON) : value;
  switch (type) {
    case "string":
      return scalarText(value);
    case "integer":
      return typeof number === "number" ? Math.trunc(number) : null;
    case "number":
      return typeof number === "number" ? number : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : since(value, now);
    default:
      return null;
  }
}
