import { messageOf } from "@jibe/base";
import { wrapText } from "./print/wrap-text.ts";

/** Says on standard error why the command line could not do its work. */
export function tellError(error: unknown, stderr: NodeJS.WriteStream): void {
  const text = `An error occurred: ${messageOf(error)}`;
  const wrapped = (line: string) => wrapText(line, { columns: stderr.columns, indent: 0 }).join("\n");
  stderr.write(`${stderr.isTTY ? text.split("\n").map(wrapped).join("\n") : text}\n`);
}
