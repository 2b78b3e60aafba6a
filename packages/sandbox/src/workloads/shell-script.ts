import { environmentOf, runCommand, type ShellWorld } from "./shell-commands.ts";
import { parseScript, type ShellWord, type SimpleCommand } from "./shell-syntax.ts";

/** Runs a script of simple commands and gives the exit code of the last one. */
export async function runScript(script: string, world: ShellWorld): Promise<number> {
  const parsed = parseScript(script);
  if (typeof parsed === "string") {
    world.output.stderr(`sh: 1: ${parsed}\n`);
    return 2;
  }
  const variables: Record<string, string> = { ...environmentOf(world) };
  let code = 0;
  for (const command of parsed) {
    if (command.joinedBy === "&&" && code !== 0) continue;
    if (command.joinedBy === "||" && code === 0) continue;
    const words = command.words.map((word) => expand(word, variables, code)).filter((word) => word !== undefined);
    const [first = "", second] = words;
    if (first === "exit") return second === undefined ? code : Number(second) & 255;
    code = await runOne(command, words, { world, variables, code });
    if (command.isNegated) code = code === 0 ? 1 : 0;
  }
  return code;
}

interface State {
  readonly world: ShellWorld;
  readonly variables: Record<string, string>;
  readonly code: number;
}

async function runOne(command: SimpleCommand, words: readonly string[], { world, variables }: State): Promise<number> {
  const assignments = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  for (const word of assignments < 0 ? words : words.slice(0, assignments)) {
    const [name = "", ...value] = word.split("=");
    variables[name] = value.join("=");
  }
  const rest = assignments < 0 ? [] : words.slice(assignments);
  if (rest.length === 0 || rest[0] === "set" || rest[0] === "export") return 0;
  const { stdout, stderr } = world.output;
  const sinks = { "1": stdout.bind(world.output), "2": stderr.bind(world.output), nowhere: () => {} };
  const output = { stdout: sinks[command.stdout], stderr: sinks[command.stderr] };
  return runCommand(rest[0] === "exec" ? rest.slice(1) : rest, { ...world, output });
}

/** Replaces `$NAME`, `${NAME}` and `$?`; an unquoted word that becomes empty disappears. */
function expand({ parts }: ShellWord, variables: Readonly<Record<string, string>>, code: number): string | undefined {
  const text = parts
    .map(({ text, isLiteral }) =>
      isLiteral
        ? text
        : text.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|\?)/g, (_all, braced?: string, bare?: string) => {
            const name = braced ?? bare;
            if (name === undefined) return String(code);
            return Object.hasOwn(variables, name) ? (variables[name] ?? "") : "";
          }),
    )
    .join("");
  return text === "" && parts.every(({ isQuoted }) => !isQuoted) ? undefined : text;
}
