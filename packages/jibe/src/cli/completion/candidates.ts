import type { AccessFlags } from "../cluster-access.ts";
import type { CommandEntry } from "../command-table.ts";
import { type Found, findCommand } from "../find-command.ts";
import { type Flags, flagName } from "../flags.ts";
import { globalFlags } from "../global-flags.ts";
import { parseArguments } from "../parse-arguments.ts";
import { readTypedWords } from "./typed-words.ts";

/** Kinds whose objects are named on command lines. */
export type NamedKind =
  | "backup"
  | "restore"
  | "schedule"
  | "backupStorageLocation"
  | "volumeSnapshotLocation"
  | "namespace";

/** Gives the names of all objects of a kind in the cluster that the flags choose. */
export type FindNames = (kind: NamedKind, flags: AccessFlags) => Promise<readonly string[]>;

/** The only candidate where a file may stand: shells complete those themselves. It is none of our words. */
export const pathWanted = "<path>";

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
  namespace: "namespace",
  "include-namespaces": "namespace",
  "exclude-namespaces": "namespace",
};

type NamesOf = (kind: NamedKind) => Promise<readonly string[]>;

/** What may stand for the last of the words: the next word of a command, a flag, a flag's value, a name, or `pathWanted`. */
export async function candidates(
  words: readonly string[],
  table: readonly CommandEntry[],
  names: FindNames,
): Promise<string[]> {
  const { typed, flag: attached, current, prefix } = readTypedWords(words);
  const found = foundIn(typed, table);
  if (!found) return [];
  const command = found.kind === "command" ? await found.entry.load() : undefined;
  const flags: Flags = { ...globalFlags, ...command?.flags };
  const before = valueFlagBefore(typed, flags);
  const rest = found.kind === "command" ? found.rest : typed;
  const access = accessIn(before === undefined ? rest : rest.slice(0, -1), flags);
  const namesOf: NamesOf = (kind) => names(kind, access);
  const valued = attached ?? before;
  if (valued !== undefined) return valuesOf(valued, { flags, namesOf, current, prefix });
  if (current.startsWith("-")) return matching(flagNames(flags), current);
  if (found.kind === "group") return matching(nextWords(found), current);
  const possible = await argumentsOf(command?.usage ?? "", namesOf);
  if (possible[0] === pathWanted) return [pathWanted];
  return matching(possible, current).filter((word) => !typed.includes(word));
}

function foundIn(typed: readonly string[], table: readonly CommandEntry[]): Found | undefined {
  try {
    return findCommand(
      typed,
      table.filter(({ hidden }) => !hidden),
    );
  } catch {
    return undefined; // nothing can follow a command that does not exist
  }
}

function nextWords({ words, entries }: Extract<Found, { kind: "group" }>): string[] {
  return entries.flatMap(({ path, verbForm }) =>
    [path, ...(verbForm ? [verbForm] : [])].flatMap((form) => {
      const parts = form.split(" ").map((part) => part.split("|"));
      return words.every((word, index) => parts[index]?.includes(word)) ? (parts[words.length]?.[0] ?? []) : [];
    }),
  );
}

/** The flag whose value the next word is, by its long name. */
function valueFlagBefore(typed: readonly string[], flags: Flags): string | undefined {
  const last = typed.at(-1) ?? "";
  const entry = Object.entries(flags).find(([key, { short }]) => last === `--${flagName(key)}` || last === `-${short}`);
  return entry && entry[1].bare === undefined ? flagName(entry[0]) : undefined;
}

interface ValueContext {
  readonly flags: Flags;
  readonly namesOf: NamesOf;
  readonly current: string;
  readonly prefix: string;
}

async function valuesOf(name: string, { flags, namesOf, current, prefix }: ValueContext): Promise<string[]> {
  const flag = Object.entries(flags).find(([key]) => flagName(key) === name)?.[1];
  if (flag?.placeholder === "path") return [pathWanted];
  const kind = kindByFlag[name];
  const values = kind ? await namesOf(kind) : (flag?.choices ?? []);
  const done = Array.isArray(flag?.initial) ? current.slice(0, current.lastIndexOf(",") + 1) : ""; // of a list, the last is typed
  return matching(values, current.slice(done.length)).map((word) => prefix + done + word);
}

/** What a command takes besides flags, by the words of its usage. */
async function argumentsOf(usage: string, namesOf: NamesOf): Promise<readonly string[]> {
  if (/\bPATH\b/.test(usage)) return [pathWanted];
  const choices = usage.split(" ").find((word) => /^[a-z]+(\|[a-z]+)+$/.test(word));
  if (choices) return choices.split("|");
  const [noun = "", verb = ""] = usage.split(" ");
  const kind = verb !== "create" && usage.includes("NAME") ? kindByNoun[noun] : undefined;
  return kind ? namesOf(kind) : [];
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
