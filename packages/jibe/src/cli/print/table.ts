/** How a kind is shown in a table. */
export interface TableView<T> {
  readonly header: readonly string[];
  readonly row: (object: T, now: Date) => readonly string[];
  readonly sort?: (a: T, b: T) => number;
}

/** Rows under a header, columns apart by at least three spaces, as kubectl prints them. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? "")].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3)))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}
