/**
 * Aligns tab-separated text in columns, as describe output is laid out: a column is as wide as its widest cell in a run of
 * consecutive lines that have the cell, plus the padding. The last cell of a line is never padded.
 */
export function alignTabs(text: string, padding = 2): string {
  const lines = text.split("\n").map((line) => line.split("\t"));
  const widths: number[][] = lines.map((cells) => cells.slice(0, -1).map(() => 0));
  const columns = Math.max(0, ...lines.map((cells) => cells.length - 1));
  for (let column = 0; column < columns; column++) {
    for (let start = 0; start < lines.length; start++) {
      if (!hasCell(lines[start], column)) continue;
      let end = start;
      let widest = 0;
      for (; end < lines.length && hasCell(lines[end], column); end++) {
        widest = Math.max(widest, [...(lines[end]?.[column] ?? "")].length);
      }
      for (let row = start; row < end; row++) (widths[row] as number[])[column] = widest + padding;
      start = end;
    }
  }
  return lines
    .map((cells, row) =>
      cells
        .map((cell, column) => (column < cells.length - 1 ? padCell(cell, widths[row]?.[column] ?? 0) : cell))
        .join(""),
    )
    .join("\n");
}

/** A cell counts for its column only when a tab ends it. */
function hasCell(cells: readonly string[] | undefined, column: number): boolean {
  return cells !== undefined && column < cells.length - 1;
}

function padCell(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - [...cell].length));
}
