import { defaultText } from "../../packages/jibe/src/cli/command-help.ts";
import { type Flags, flagName } from "../../packages/jibe/src/cli/flags.ts";
import { markdownTable } from "./markdown-table.ts";

/** The flags of a command that are shown in its help. */
export function flagTable(flags: Flags): string {
  const rows = Object.entries(flags)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, flag]) => {
      const names = [`--${flagName(key)}`, ...(flag.short ? [`-${flag.short}`] : [])].map((name) => `\`${name}\``);
      const value = flag.placeholder ? `\`${flag.placeholder}\`` : "";
      const initial = defaultText(flag);
      return [names.join(", "), value, initial ? `\`${initial}\`` : "", flag.description];
    });
  return rows.length > 0 ? markdownTable(["flag", "value", "default", ""], rows) : "No flags of its own.";
}
