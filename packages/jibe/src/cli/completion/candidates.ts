import type { AccessFlags } from "../cluster-access.ts";
import type { CommandEntry } from "../command-table.ts";
import { findCommand } from "../find-command.ts";
import { type Flag, type Flags, flagName } from "../flags.ts";
import { globalFlags } from "../global-flags.ts";
import { parseArguments } from "../parse-arguments.ts";

/** Kinds whose objects are named on command lines. */
export type NamedKind = "backup" | "restore" | "schedule" | "backupStorageLocation" | "volumeSnapshotLocation";

/** Gives the names of all objects of a kind in the cluster that the flags choose. */
export type FindNames = (kind: NamedKind, flags: AccessFlags) => Promise<readonly string[]>;

const kindByNoun: Readonly<Record<string, NamedKind>> = {
  backup: "backup",
  restore: "restore",
  schedule: "schedule",
  "backup-location": "backupStorageLocation",
  "snapshot-location": "volumeSnapshotLocation",
};
const kindByFlag: Readonly<Record<string, NamedKind>> = {
  "from-backup": "backup",
  "from-schedule": "schedule",
  "storage-location": "backupStorageLocation",
  "volume-snapshot-locations": "volumeSnapshotLocation",
  backup: "backup",
  restore: "restore",
};

/** What may stand for the last of the words: the next word of a command, a flag, a flag's value, or a name. */
export async function candidates(
  words: readonly string[],
  table: readonly CommandEntry[],
  names: FindNames,
): Promise<string[]> {
  const { typed, flag: asked, current, prefix } = readWords(words);
  const found = foundIn(typed, table);
  if (!found) return [];
  if (found.kind === "group") return matching(nextWords(found.words.length, found.words, found.entries), current);
  const { flags: own, usage } = await found.entry.load();
  const flags: Flags = { ...globalFlags, ...own };
  const access = accessIn(found.rest, flags);
  const value = asked ?? valueFlagBefore(typed, flags);
  if (value !== undefined) {
    const kind = kindByFlag[value];
    const values = kind ? await names(kind, access) : (flagNamed(value, flags)?.choices ?? []);
    return matching(values, current).map((word) => prefix + word);
  }
  if (current.startsWith("-")) return matching(flagNames(flags), current);
  const [noun = "", verb = ""] = usage.split(" ");
  const kind = verb !== "create" && usage.includes("NAME") ? kindByNoun[noun] : undefined;
  return kind ? matching(await names(kind, access), current) : [];
}

interface Typed {
  /** Whole words, before the one that is being typed. */
  readonly typed: readonly string[];
  /** The flag whose value is being typed, after a `=`. */
  readonly flag?: string;
  readonly current: string;
  /** What the shell wants back before the value. */
  readonly prefix: string;
}

/** Bash cuts words at `=`, other shells do not. */
function readWords(words: readonly string[]): Typed {
  const current = words.at(-1) ?? "";
  const typed = words.slice(0, -1);
  if (current === "=") return { typed: typed.slice(0, -1), flag: bareName(typed.at(-1)), current: "", prefix: "" };
  if (typed.at(-1) === "=") return { typed: typed.slice(0, -2), flag: bareName(typed.at(-2)), current, prefix: "" };
  const [, written, value = ""] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  return written === undefined
    ? { typed, current, prefix: "" }
    : { typed, flag: written, current: value, prefix: `--${written}=` };
}

const bareName = (word = "") => word.replace(/^--/, "");

function foundIn(typed: readonly string[], table: readonly CommandEntry[]) {
  try {
    return findCommand(
      typed,
      table.filter(({ hidden }) => !hidden),
    );
  } catch {
    return undefined; // nothing can follow a command that does not exist
  }
}

function nextWords(depth: number, words: readonly string[], entries: readonly CommandEntry[]): string[] {
  return entries.flatMap(({ path, verbForm }) =>
    [path, ...(verbForm ? [verbForm] : [])].flatMap((form) => {
      const parts = form.split(" ").map((part) => part.split("|"));
      return words.every((word, index) => parts[index]?.includes(word)) ? (parts[depth]?.[0] ?? []) : [];
    }),
  );
}

/** The flag whose value the next word is, by its long name. */
function valueFlagBefore(typed: readonly string[], flags: Flags): string | undefined {
  const last = typed.at(-1) ?? "";
  const entry = Object.entries(flags).find(([key, { short }]) => last === `--${flagName(key)}` || last === `-${short}`);
  return entry && entry[1].bare === undefined ? flagName(entry[0]) : undefined;
}

function flagNamed(name: string, flags: Flags): Flag<unknown> | undefined {
  return Object.entries(flags).find(([key]) => flagName(key) === name)?.[1];
}

const flagNames = (flags: Flags) =>
  Object.entries(flags)
    .filter(([, { hidden }]) => !hidden)
    .map(([key]) => `--${flagName(key)}`);

/** What was typed about the cluster; a command line that is not whole yet says nothing. */
function accessIn(rest: readonly string[], flags: Flags): AccessFlags {
  try {
    const { kubeconfig, kubecontext, namespace } = parseArguments(rest, flags).flags as Record<string, string>;
    return { kubeconfig: kubeconfig ?? "", kubecontext: kubecontext ?? "", namespace: namespace ?? "" };
  } catch {
    return {};
  }
}

const matching = (words: readonly string[], current: string) =>
  [...new Set(words)].filter((word) => word !== "" && word.startsWith(current)).sort();
