/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] {
  return [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ];
}

/** A number to three digits, as people read it. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

export const count = (items: number) => items.toLocaleString("en");
