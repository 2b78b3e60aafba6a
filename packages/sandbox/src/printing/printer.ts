import type { JsonObject } from "../schema/json-object.ts";

/** `priority` above 0 marks columns that are shown by `-o wide` only. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How objects of one kind become rows: as many cells as columns. */
export interface Printer {
  readonly columns: readonly ColumnDefinition[];
  cells(object: JsonObject, now: Date): readonly unknown[];
  conditions?(object: JsonObject): readonly RowCondition[] | undefined;
}

/**
 * Columns from their names: `Name` is the object's name, a trailing `*` makes a wide column, and a type may follow in
 * parentheses: `Desired(integer)`, `Node*`.
 */
export function columnsOf(...specs: readonly string[]): ColumnDefinition[] {
  return specs.map((spec) => {
    const [, name = "", type = "string", wide = ""] =
      /^(.*?)(?:\((string|integer|boolean|date|number)\))?(\*?)$/.exec(spec) ?? [];
    return { name, type, format: name === "Name" ? "name" : "", description: "", priority: wide === "" ? 0 : 1 };
  });
}
