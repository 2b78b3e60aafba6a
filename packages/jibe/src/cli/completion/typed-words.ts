/** A command line up to the cursor. */
export interface TypedWords {
  /** Whole words, before the one that is being typed. */
  readonly typed: readonly string[];
  /** The flag whose value is being typed, after a `=`. */
  readonly flag?: string;
  readonly current: string;
  /** What the shell wants back before the value. */
  readonly prefix: string;
}

/** Bash cuts words at `=`, other shells do not. */
export function readTypedWords(words: readonly string[]): TypedWords {
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
