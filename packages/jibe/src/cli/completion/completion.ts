import { AppError } from "@jibe/base";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { pathWanted } from "./candidates.ts";

export const completion = command({
  usage: "completion bash|zsh|fish",
  summary: "Print a script that completes commands, flags and names in a shell",
  examples: ["source <(jibe completion bash)", "source <(jibe completion zsh)", "jibe completion fish | source"],
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

// The shells ask us each time: what may follow depends on flags, and names on the cluster. Files are left to them.
const bash = `# bash completion of jibe
_jibe() {
  local IFS=$'\\n'
  COMPREPLY=($(jibe __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [[ \${COMPREPLY[0]} == '${pathWanted}' ]]; then
    COMPREPLY=()
    compopt -o default 2>/dev/null
  fi
}
complete -F _jibe jibe
`;

// Serves both ways of use: sourced, and as a file _jibe in a folder of fpath, where zsh runs it as the function's body.
const zsh = `#compdef jibe
_jibe() {
  local -a found
  found=(\${(f)"$(jibe __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ \${found[1]} == '${pathWanted}' ]]; then
    compset -P '--*='
    _files
  else
    compadd -- "\${found[@]}"
  fi
}
if [[ \${funcstack[1]} == _jibe ]]; then
  _jibe "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _jibe jibe
fi
`;

const fish = `# fish completion of jibe
function __jibe_complete
  set -l token (commandline -ct)
  set -l found (jibe __complete -- (commandline -opc)[2..-1] "$token" 2>/dev/null)
  if test "$found" = '${pathWanted}'
    set -l flag (string match -r -- '^--[^=]+=' "$token")
    for path in (complete -C "'' "(string replace -- "$flag" '' "$token"))
      echo "$flag$path"
    end
  else
    string join -- \\n $found
  end
end
complete -c jibe -f -a '(__jibe_complete)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };
