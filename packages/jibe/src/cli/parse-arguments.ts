import { AppError, messageOf } from "@jibe/base";
import { closest } from "./closest.ts";
import { type Flag, type Flags, type FlagValues, flagName } from "./flags.ts";

export interface ParsedArguments<F extends Flags> {
  readonly args: readonly string[];
  readonly flags: FlagValues<F>;
  /** The keys of flags that were given, to tell a default from the same value typed. */
  readonly given: ReadonlySet<string>;
}

/** Reads arguments by pflag's rules: `--a=b`, `--a b`, bare booleans, `-n x`, `-nx`, `-n=x`, flags and names in any order, `--`. */
export function parseArguments<F extends Flags>(argv: readonly string[], flags: F): ParsedArguments<F> {
  const byName = new Map<string, string>();
  const byShort = new Map<string, string>();
  for (const [key, { short }] of Object.entries(flags)) {
    byName.set(flagName(key), key);
    if (short) byShort.set(short, key);
  }
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(flags).map(([key, { initial }]) => [key, initial]),
  );
  const given = new Set<string>();
  const args: string[] = [];
  const rest = [...argv];

  const take = (key: string, written: string, attached: string | undefined) => {
    const flag = flags[key] as Flag<unknown>;
    const text = attached ?? flag.bare ?? rest.shift();
    if (text === undefined) throw new AppError("InvalidArgument", `flag needs a value: ${written}`);
    try {
      values[key] = flag.add(values[key], text);
    } catch (error) {
      throw new AppError("InvalidArgument", `flag ${written}: ${messageOf(error)}`);
    }
    given.add(key);
  };

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      args.push(...rest);
      break;
    }
    if (word.startsWith("--")) {
      const [name = "", attached] = splitOnce(word.slice(2));
      const key = byName.get(name);
      if (key === undefined)
        throw unknownFlag(
          `--${name}`,
          [...byName.keys()].map((known) => `--${known}`),
        );
      take(key, `--${name}`, attached);
    } else if (word.startsWith("-") && word.length > 1) {
      takeShort(word.slice(1));
    } else {
      args.push(word);
    }
  }

  function takeShort(letters: string): void {
    for (let at = 0; at < letters.length; at++) {
      const letter = letters[at] ?? "";
      const key = byShort.get(letter);
      if (key === undefined) throw unknownFlag(`-${letter}`, []);
      const after = letters.slice(at + 1);
      const takesRest = after.startsWith("=") || (flags[key]?.bare === undefined && after !== "");
      take(key, `-${letter}`, takesRest ? after.replace(/^=/, "") : undefined);
      if (takesRest) break;
    }
  }

  return { args, flags: values as FlagValues<F>, given };
}

function splitOnce(text: string): [string, string?] {
  const at = text.indexOf("=");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function unknownFlag(written: string, known: readonly string[]): AppError {
  const guess = closest(written, known);
  return new AppError("InvalidArgument", `unknown flag: ${written}${guess ? ` (did you mean ${guess}?)` : ""}`);
}
