import { AppError } from "@jibe/base";
import { command } from "../command.ts";
import { commandTable } from "../command-table.ts";
import { exitCode } from "../exit-code.ts";
import { flagName } from "../flags.ts";
import { globalFlags } from "../global-flags.ts";

export const completion = command({
  usage: "completion bash|zsh|fish",
  summary: "Print a script that completes commands and flags in a shell",
  examples: ["source <(jibe completion bash)", "jibe completion fish | source"],
  flags: {},
  async run({ args }, { out }) {
    const [shell = ""] = args;
    const write = scripts[shell];
    if (!write)
      throw new AppError("InvalidArgument", `say for which shell: jibe completion ${Object.keys(scripts).join("|")}`);
    out.text(write(await completions()));
    return exitCode.ok;
  },
});

/** What may follow the words typed so far. */
type Completions = ReadonlyMap<string, readonly string[]>;

async function completions(): Promise<Completions> {
  const found = new Map<string, Set<string>>();
  const add = (after: string, word: string) => found.set(after, (found.get(after) ?? new Set()).add(word));
  const globals = Object.keys(globalFlags).map((key) => `--${flagName(key)}`);
  for (const { path, verbForm, hidden, load } of commandTable) {
    if (hidden) continue;
    const { flags } = await load();
    for (const form of [path, ...(verbForm ? [verbForm] : [])]) {
      const words = form.split(" ").map((word) => word.split("|")[0] ?? "");
      for (const [index, word] of words.entries()) add(words.slice(0, index).join(" "), word);
      const own = Object.entries(flags).filter(([, { hidden: isHidden }]) => !isHidden);
      for (const name of [...own.map(([key]) => `--${flagName(key)}`), ...globals]) add(words.join(" "), name);
    }
  }
  return new Map([...found].map(([after, words]) => [after, [...words].sort()]));
}

const cases = (all: Completions) =>
  [...all].map(([after, words]) => `    "${after}") words="${words.join(" ")}" ;;`).join("\n");

const scripts: Readonly<Record<string, (all: Completions) => string>> = {
  bash: (all) => `# bash completion of jibe
_jibe() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) typed="\${typed:+$typed }$word" ;; esac
  done
  while :; do
    case "$typed" in
${cases(all)}
    esac
    [ -n "$words" ] || [ -z "$typed" ] && break
    case "$typed" in *" "*) typed="\${typed% *}" ;; *) typed="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _jibe jibe
`,
  zsh: (all) => `#compdef jibe
autoload -U +X bashcompinit && bashcompinit
${scripts["bash"]?.(all) ?? ""}`,
  fish: (all) =>
    [...all]
      .flatMap(([after, words]) => {
        const typed =
          after === ""
            ? "__fish_use_subcommand"
            : after
                .split(" ")
                .map((word) => `__fish_seen_subcommand_from ${word}`)
                .join("; and ");
        return words.map((word) =>
          word.startsWith("--")
            ? `complete -c jibe -f -n "${typed}" -l ${word.slice(2)}`
            : `complete -c jibe -f -n "${typed}" -a ${word}`,
        );
      })
      .join("\n")
      .concat("\n"),
};
