import { testScope } from "@jibe/testkit";
import { peerProgram, runCommand } from "@jibe/testkit/peers";
import { beforeAll, describe, expect, test } from "vitest";
import { defaultText } from "../../../packages/jibe/src/cli/command-help.ts";
import { type CommandEntry, commandTable } from "../../../packages/jibe/src/cli/command-table.ts";
import { type Flag, type Flags, flagName } from "../../../packages/jibe/src/cli/flags.ts";
import { globalFlags } from "../../../packages/jibe/src/cli/global-flags.ts";
import { missingFlags, otherDefaults } from "./flag-differences.ts";
import { commandsIn, flagsIn, type HelpFlag } from "./velero-help.ts";

interface VeleroCommand {
  readonly words: string;
  readonly flags: readonly HelpFlag[];
}

describe("our command line beside the help of the real velero", () => {
  const scope = testScope();
  const theirs: VeleroCommand[] = [];
  beforeAll(async () => {
    const program = await peerProgram("velero", scope);
    const help = async (path: readonly string[]) =>
      (await runCommand(program, [...path, "--help"], { env: { HOME: "/nonexistent" } }, scope)).stdout;
    const walk = async (path: readonly string[]): Promise<void> => {
      const text = await help(path);
      const below = commandsIn(text);
      for (const name of below) await walk([...path, name]);
      if (below.length === 0 || path.length === 0) theirs.push({ words: path.join(" "), flags: flagsIn(text) });
    };
    await walk([]);
    await walk(["server"]); // not listed, but documented
  });

  /** What ours takes for the same words; nothing when it has no such command. */
  const oursFor = async (words: string): Promise<Map<string, Flag<unknown>> | undefined> => {
    const entry = commandTable.find((one) => stands(one, words));
    if (!entry && words !== "") return undefined;
    const flags: Flags = { ...globalFlags, ...(await entry?.load())?.flags };
    return new Map(Object.entries(flags).map(([key, flag]) => [flagName(key), flag]));
  };
  const compare = async (judge: (words: string, flag: HelpFlag, own: Flag<unknown> | undefined) => string[]) => {
    const found: string[] = [];
    for (const { words, flags } of theirs) {
      const ours = await oursFor(words);
      if (ours) for (const flag of flags) found.push(...judge(words, flag, ours.get(flag.name)));
    }
    return found;
  };

  test("has every command", async () => {
    const missing: string[] = [];
    for (const { words } of theirs) if (!(await oursFor(words))) missing.push(words);
    expect(theirs.length).toBeGreaterThan(40);
    expect(missing).toEqual([]);
  });

  test("takes every flag, long and short, but those left out on purpose", async () => {
    const missing = await compare((words, { name, short }, own) => {
      if (name in missingFlags) return [];
      return own && own.short === short ? [] : [`${words} --${name}${short ? ` (-${short})` : ""}`];
    });
    expect(missing).toEqual([]);
  });

  test("has the same defaults, but those that differ on purpose", async () => {
    const seen = new Set<string>();
    const other = await compare((words, { name, initial }, own) => {
      if (!own || defaultText(own) === initial) return [];
      const key = `${words} ${name}`.trim();
      seen.add(key);
      return key in otherDefaults ? [] : [`${words} --${name}: ${initial} there, ${defaultText(own)} here`];
    });
    expect(other).toEqual([]);
    expect(Object.keys(otherDefaults).filter((key) => !seen.has(key))).toEqual([]); // no reason outlives its difference
  });
});

function stands({ path, verbForm }: CommandEntry, words: string): boolean {
  const said = words.split(" ");
  return [path, verbForm ?? ""].some((form) => {
    const parts = form.split(" ").map((part) => part.split("|"));
    return parts.length === said.length && parts.every((names, index) => names.includes(said[index] ?? ""));
  });
}
