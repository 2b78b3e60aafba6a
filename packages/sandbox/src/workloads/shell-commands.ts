import type { Clock } from "@jibe/base";
import type { ExecOutput, ExecRequest } from "./exec-handler.ts";

export interface ShellWorld {
  readonly request: ExecRequest;
  readonly clock: Clock;
  readonly output: ExecOutput;
  readonly scope: { readonly signal: AbortSignal };
}

type Command = (args: readonly string[], world: ShellWorld) => number | Promise<number>;

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "0": "\0" };
const unescapeText = (text: string) =>
  text.replace(/\\([ntr\\0])/g, (_all, letter: string) => escapes[letter] ?? letter);

const echo: Command = (args, { output }) => {
  const options = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const flags = args.slice(0, options < 0 ? args.length : options).join("");
  const text = (options < 0 ? [] : args.slice(options)).join(" ");
  output.stdout((flags.includes("e") ? unescapeText(text) : text) + (flags.includes("n") ? "" : "\n"));
  return 0;
};

const printf: Command = ([format = "", ...args], { output }) => {
  const rest = [...args];
  output.stdout(unescapeText(format).replace(/%([sd%])/g, (_all, kind) => (kind === "%" ? "%" : (rest.shift() ?? ""))));
  return 0;
};

const cat: Command = async (args, { request, output, scope }) => {
  const files = args.filter((arg) => arg !== "-");
  for (const file of files) output.stderr(`cat: ${file}: No such file or directory\n`);
  if (files.length > 0) return 1;
  for await (const chunk of request.stdin) {
    scope.signal.throwIfAborted();
    output.stdout(chunk);
  }
  return 0;
};

const sleep: Command = async (args, { clock, output, scope }) => {
  const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let ms = 0;
  for (const arg of args) {
    const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(arg) ?? [];
    if (number === undefined) {
      output.stderr(`sleep: invalid time interval '${arg}'\n`);
      return 1;
    }
    ms += Number(number) * (units[unit || "s"] ?? 1000);
  }
  await clock.sleep(ms, scope);
  return 0;
};

const test: Command = (args) => {
  const words = args.at(-1) === "]" ? args.slice(0, -1) : args;
  const [first = "", second = "", third] = words;
  if (words.length === 1) return first === "" ? 1 : 0;
  if (words.length === 2) {
    if (first === "-n") return second === "" ? 1 : 0;
    if (first === "-z") return second === "" ? 0 : 1;
    if (first === "!") return second === "" ? 0 : 1;
    return 1; // files: there are none
  }
  const numbers: Record<string, (a: number, b: number) => boolean> = {
    "-eq": (a, b) => a === b,
    "-ne": (a, b) => a !== b,
    "-lt": (a, b) => a < b,
    "-gt": (a, b) => a > b,
    "-le": (a, b) => a <= b,
    "-ge": (a, b) => a >= b,
  };
  if (second === "=" || second === "==") return first === third ? 0 : 1;
  if (second === "!=") return first === third ? 1 : 0;
  return numbers[second]?.(Number(first), Number(third)) ? 0 : words.length === 0 ? 1 : numbers[second] ? 1 : 2;
};

const say =
  (text: (world: ShellWorld) => string): Command =>
  (_args, world) => {
    world.output.stdout(`${text(world)}\n`);
    return 0;
  };

/** The variables that a container starts with. */
export const environmentOf = ({ request }: ShellWorld): Readonly<Record<string, string>> => ({
  HOME: "/root",
  HOSTNAME: request.pod,
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
});

const commands: Readonly<Record<string, Command>> = {
  echo,
  printf,
  cat,
  sleep,
  test,
  "[": test,
  true: () => 0,
  ":": () => 0,
  sync: () => 0,
  false: () => 1,
  hostname: say(({ request }) => request.pod),
  pwd: say(() => "/"),
  whoami: say(() => "root"),
  env: say((world) =>
    Object.entries(environmentOf(world))
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
  ),
};

/** Runs one command; one that does not exist ends with 127, as in a shell. */
export async function runCommand(words: readonly string[], world: ShellWorld): Promise<number> {
  const [program = "", ...args] = words;
  const name = program.replace(/^\/(?:usr\/)?(?:local\/)?s?bin\//, "");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command(args, world);
  world.output.stderr(`sh: 1: ${program}: not found\n`);
  return 127;
}
