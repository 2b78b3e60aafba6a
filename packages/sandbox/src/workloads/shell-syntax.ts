export interface WordPart {
  readonly text: string;
  /** In single quotes or behind a backslash: nothing in it is replaced. */
  readonly isLiteral: boolean;
  readonly isQuoted: boolean;
}

export interface ShellWord {
  readonly parts: readonly WordPart[];
}

export type Sink = "1" | "2" | "nowhere";

export interface SimpleCommand {
  /** What stands before the command and decides whether it runs. */
  readonly joinedBy: ";" | "&&" | "||";
  readonly isNegated: boolean;
  readonly words: readonly ShellWord[];
  readonly stdout: Sink;
  readonly stderr: Sink;
}

type Token = { readonly operator: string } | { readonly word: ShellWord };

const operators = [
  "2>/dev/null",
  "1>/dev/null",
  ">/dev/null",
  "> /dev/null",
  "2>&1",
  "1>&2",
  ">&2",
  "&&",
  "||",
  ";",
  "\n",
];
const unsupported = /^(?:[|&<>()`]|\$\()/;

/** Reads a script of simple commands joined by `;`, `&&`, `||` or new lines. A text is what is wrong with it. */
export function parseScript(script: string): readonly SimpleCommand[] | string {
  const tokens = tokenize(script);
  if (typeof tokens === "string") return tokens;
  const commands: SimpleCommand[] = [];
  let current = newCommand(";");
  const finish = () => {
    if (current.words.length > 0) commands.push(current);
  };
  for (const token of tokens) {
    if ("word" in token) current = withWord(current, token.word);
    else if (token.operator === "&&" || token.operator === "||") {
      if (current.words.length === 0) return `Syntax error: "${token.operator}" unexpected`;
      finish();
      current = newCommand(token.operator);
    } else if (token.operator === ";" || token.operator === "\n") {
      finish();
      current = newCommand(";");
    } else current = redirected(current, token.operator);
  }
  finish();
  return commands;
}

const newCommand = (joinedBy: SimpleCommand["joinedBy"]): SimpleCommand => ({
  joinedBy,
  isNegated: false,
  words: [],
  stdout: "1",
  stderr: "2",
});

function withWord(command: SimpleCommand, word: ShellWord): SimpleCommand {
  const [part] = word.parts;
  const isBang = command.words.length === 0 && word.parts.length === 1 && part?.text === "!" && !part.isQuoted;
  return isBang ? { ...command, isNegated: true } : { ...command, words: [...command.words, word] };
}

function redirected(command: SimpleCommand, operator: string): SimpleCommand {
  if (operator === "2>&1") return { ...command, stderr: command.stdout };
  if (operator.endsWith(">&2")) return { ...command, stdout: command.stderr };
  return operator.startsWith("2") ? { ...command, stderr: "nowhere" } : { ...command, stdout: "nowhere" };
}

function tokenize(script: string): Token[] | string {
  const tokens: Token[] = [];
  let rest = script;
  while (rest !== "") {
    const operator = operators.find((candidate) => rest.startsWith(candidate));
    const skipped = /^(?:[ \t\r]+|\\\n|#[^\n]*)/.exec(rest);
    if (operator !== undefined) {
      tokens.push({ operator });
      rest = rest.slice(operator.length);
    } else if (skipped) {
      rest = rest.slice(skipped[0].length);
    } else {
      const stray = unsupported.exec(rest);
      if (stray) return `"${stray[0]}" is not supported in the sandbox`;
      const read = readWord(rest);
      if (typeof read === "string") return read;
      tokens.push({ word: { parts: read.parts } });
      rest = read.rest;
    }
  }
  return tokens;
}

const piece = /^(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\;&|<>()`#]+|#))/;

function readWord(text: string): { parts: WordPart[]; rest: string } | string {
  const parts: WordPart[] = [];
  let rest = text;
  for (let match = piece.exec(rest); match; match = piece.exec(rest)) {
    const [all, single, double, escaped, bare] = match;
    if (double !== undefined) {
      parts.push({ text: double.replace(/\\(["\\$`])/g, "$1"), isLiteral: double.includes("\\$"), isQuoted: true });
    } else {
      const isLiteral = bare === undefined;
      parts.push({ text: single ?? escaped ?? bare ?? "", isLiteral, isQuoted: isLiteral });
    }
    rest = rest.slice(all.length);
  }
  if (parts.length === 0 || /^['"]/.test(rest)) return "Syntax error: Unterminated quoted string";
  return { parts, rest };
}
