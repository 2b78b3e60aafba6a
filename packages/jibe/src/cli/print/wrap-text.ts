import { stripVTControlCharacters } from "node:util";
import type { Output } from "../output.ts";

/** Prints a text: on a terminal broken between words, its lines after the first indented; elsewhere as one line. */
export function printWrapped(out: Output, text: string, { indent = 0 }: { readonly indent?: number } = {}): void {
  out.line(out.terminal ? wrapText(text, { columns: out.terminal.columns, indent }).join("\n") : text);
}

/** Breaks a text between words into lines shorter than `columns`; all but the first begin with `indent` spaces. Styles take no room. */
export function wrapText(
  text: string,
  { columns, indent }: { readonly columns: number; readonly indent: number },
): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(/\s*\S+/g) ?? []) {
    if (line !== "" && widthOf(line + piece) >= columns) {
      lines.push(line);
      line = " ".repeat(indent) + piece.trimStart();
    } else line += piece;
  }
  return [...lines, line];
}

const widthOf = (text: string) => stripVTControlCharacters(text).length;
