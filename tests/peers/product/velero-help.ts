export interface HelpFlag {
  readonly name: string;
  readonly short: string | undefined;
  /** As it is printed; empty when none is. */
  readonly initial: string;
}

/** The names below a title, to the next empty line. */
function section(help: string, title: string): string[] {
  const lines = help.split("\n");
  const at = lines.indexOf(`${title}:`);
  if (at < 0) return [];
  const end = lines.indexOf("", at);
  return lines.slice(at + 1, end < 0 ? undefined : end);
}

/** The commands that a help page of Velero's lists. */
export function commandsIn(help: string): string[] {
  return section(help, "Available Commands")
    .map((line) => line.trim().split(/\s+/)[0] ?? "")
    .filter((name) => name !== "help");
}

/** The flags that a help page of Velero's lists as the command's own. */
export function flagsIn(help: string): HelpFlag[] {
  return section(help, "Flags").map((line) => {
    const [, short, name = line, text = ""] = /^ {2}(?:-(\w), | {4})--([\w-]+)(?: \S+)? {2,}(.*)$/.exec(line) ?? [];
    const initial = /\(default (.*)\)\.?$/.exec(text)?.[1]?.replace(/^"(.*)"$/, "$1") ?? "";
    return { name, short, initial: initial === "<none>" ? "" : initial };
  });
}
