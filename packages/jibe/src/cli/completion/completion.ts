import { AppError } from "@jibe/base";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";

export const completion = command({
  usage: "completion bash|zsh|fish",
  summary: "Print a script that completes commands, flags and names in a shell",
  examples: ["source <(jibe completion bash)", "jibe completion fish | source"],
  flags: {},
  async run({ args }, { out }) {
    const [shell = ""] = args;
    const script = scripts[shell];
    if (!script)
      throw new AppError("InvalidArgument", `say for which shell: jibe completion ${Object.keys(scripts).join("|")}`);
    out.text(script);
    return exitCode.ok;
  },
});

// The shells ask us each time: what may follow depends on flags, and names on the cluster.
const bash = `# bash completion of jibe
_jibe() {
  local IFS=$'\\n'
  COMPREPLY=($(jibe __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -F _jibe jibe
`;

const scripts: Readonly<Record<string, string>> = {
  bash,
  zsh: `#compdef jibe\nautoload -U +X bashcompinit && bashcompinit\n${bash}`,
  fish: `complete -c jibe -f -a '(jibe __complete -- (commandline -opc)[2..-1] "$(commandline -ct)")'\n`,
};
