import { AppError, parseGoDuration } from "@jibe/base";

/** One flag: how its text becomes a value. Flags follow the rules that Velero's command line has (pflag's). */
export interface Flag<T> {
  readonly description: string;
  /** One letter. */
  readonly short?: string;
  /** Shown in help after the name; absent for flags that need no value. */
  readonly placeholder?: string;
  /** What a bare `--flag` means; absent when a value is required. */
  readonly bare?: string;
  readonly hidden?: boolean;
  /** For help and completion. */
  readonly choices?: readonly string[];
  readonly initial: T;
  /** Takes one more occurrence of the flag. */
  add(current: T, text: string): T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

interface Options {
  readonly short?: string;
  readonly placeholder?: string;
  readonly hidden?: boolean;
}

/** The flag builders. List flags take commas, and a repeated list flag replaces the earlier value, as Velero's do. */
export const flag = {
  string: (description: string, initial = "", options: Options = {}): Flag<string> => ({
    description,
    placeholder: "string",
    initial,
    ...options,
    add: (_, text) => text,
  }),
  choice: <const C extends string>(
    description: string,
    choices: readonly C[],
    initial: C,
    options: Options = {},
  ): Flag<C> => ({
    description,
    placeholder: choices.filter((choice) => choice !== "").join("|"),
    choices,
    initial,
    ...options,
    add: (_, text) => {
      const found = choices.find((choice) => choice === text);
      if (found === undefined) throw invalid(text, `must be one of ${choices.join(", ")}`);
      return found;
    },
  }),
  boolean: (description: string, initial = false, options: Options = {}): Flag<boolean> => ({
    description,
    bare: "true",
    initial,
    ...options,
    add: (_, text) => parseBoolean(text),
  }),
  /** Unset, true or false. */
  optionalBoolean: (description: string, options: Options = {}): Flag<boolean | undefined> => ({
    description,
    bare: "true",
    initial: undefined,
    ...options,
    add: (_, text) => (text === "" ? undefined : parseBoolean(text)),
  }),
  list: (description: string, initial: readonly string[] = [], options: Options = {}): Flag<readonly string[]> => ({
    description,
    placeholder: "a,b",
    initial,
    ...options,
    add: (_, text) => (text === "" ? [] : text.split(",")),
  }),
  /** Every occurrence counts. */
  repeated: (description: string, options: Options = {}): Flag<readonly string[]> => ({
    description,
    placeholder: "string",
    initial: [],
    ...options,
    add: (current, text) => [...current, text],
  }),
  map: (
    description: string,
    options: Options & { readonly separator?: string } = {},
  ): Flag<Readonly<Record<string, string>>> => {
    const { separator = "=", ...rest } = options;
    return {
      description,
      placeholder: `k${separator}v,k2${separator}v2`,
      initial: {},
      ...rest,
      add: (current, text) => ({ ...current, ...parseMap(text, separator) }),
    };
  },
  integer: (description: string, initial = 0, options: Options = {}): Flag<number> => ({
    description,
    placeholder: "int",
    initial,
    ...options,
    add: (_, text) => {
      if (!/^[+-]?\d+$/.test(text)) throw invalid(text, "must be a whole number");
      return Number(text);
    },
  }),
  /** Milliseconds, written as Go writes durations. */
  duration: (description: string, initialMs = 0, options: Options = {}): Flag<number> => ({
    description,
    placeholder: "duration",
    initial: initialMs,
    ...options,
    add: (_, text) => parseGoDuration(text),
  }),
  optionalDuration: (description: string, options: Options = {}): Flag<number | undefined> => ({
    description,
    placeholder: "duration",
    initial: undefined,
    ...options,
    add: (_, text) => parseGoDuration(text),
  }),
};

function invalid(text: string, why: string): AppError {
  return new AppError("InvalidArgument", `invalid value ${JSON.stringify(text)}: ${why}`);
}

function parseBoolean(text: string): boolean {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  throw invalid(text, "must be true or false");
}

function parseMap(text: string, separator: string): Record<string, string> {
  if (text === "") return {};
  const pairs = splitQuoted(text).map((part): [string, string] => {
    const at = part.indexOf(separator);
    if (at <= 0) throw invalid(part, `must look like key${separator}value`);
    return [part.slice(0, at), part.slice(at + separator.length)];
  });
  return Object.fromEntries(pairs);
}

/** Splits at commas, except inside double quotes. */
function splitQuoted(text: string): string[] {
  return [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)]
    .filter((match) => match[0] !== "" || match.index === 0)
    .map((match) => match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
}

/** A flag's name on the command line: `includeNamespaces` is `--include-namespaces`. */
export function flagName(key: string): string {
  return key.replace(/[A-Z]+(?![a-z])|[A-Z]/g, (letters) => `-${letters.toLowerCase()}`);
}
