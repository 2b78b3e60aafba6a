import { systemClock } from "@jibe/base";
import { expect, test } from "vitest";
import { simulatedExec } from "./exec-handler.ts";

async function run(command: readonly string[], stdin = "") {
  const [out, err]: [string[], string[]] = [[], []];
  const text = (chunk: Uint8Array | string) => (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
  async function* input() {
    if (stdin !== "") yield Buffer.from(stdin);
  }
  const code = await simulatedExec(systemClock)(
    { namespace: "ns", pod: "p", container: "c", command, stdin: input() },
    { stdout: (chunk) => out.push(text(chunk)), stderr: (chunk) => err.push(text(chunk)) },
    { signal: new AbortController().signal },
  );
  return { code, out: out.join(""), err: err.join("") };
}

const sh = (script: string) => ["/bin/sh", "-c", script];

const cases: Record<
  string,
  { command: readonly string[]; stdin?: string; want: { code: number; out?: string; err?: string } }
> = {
  "echoes its words": { command: ["echo", "a", "b"], want: { code: 0, out: "a b\n" } },
  "echoes without a new line": { command: ["echo", "-n", "a"], want: { code: 0, out: "a" } },
  "copies what is typed": { command: ["cat"], stdin: "hello", want: { code: 0, out: "hello" } },
  "has no files": { command: ["cat", "/x"], want: { code: 1, err: "cat: /x: No such file or directory\n" } },
  "succeeds with true": { command: ["true"], want: { code: 0 } },
  "fails with false": { command: ["/bin/false"], want: { code: 1 } },
  "does not know other commands": { command: ["pg_dump"], want: { code: 127, err: "sh: 1: pg_dump: not found\n" } },
  "runs a sequence": { command: sh("echo a; echo b"), want: { code: 0, out: "a\nb\n" } },
  "stops at a failure joined by and": { command: sh("false && echo a; echo b"), want: { code: 0, out: "b\n" } },
  "goes on after a failure joined by or": { command: sh("false || echo a"), want: { code: 0, out: "a\n" } },
  "exits with a code": { command: sh("echo a; exit 7; echo b"), want: { code: 7, out: "a\n" } },
  "writes to standard error": { command: sh("echo oops >&2; exit 1"), want: { code: 1, out: "", err: "oops\n" } },
  "drops what goes nowhere": {
    command: sh("cat /x 2>/dev/null || echo none"),
    want: { code: 0, out: "none\n", err: "" },
  },
  "keeps quoted words together": {
    command: sh("echo 'a  b' \"c  d\" e\\ f"),
    want: { code: 0, out: "a  b c  d e f\n" },
  },
  "replaces variables": {
    command: sh(["X=1; echo $X $", "{X}2 \"$HOSTNAME\" '$X'"].join("")),
    want: { code: 0, out: "1 12 p $X\n" },
  },
  "knows the last exit code": { command: sh("false; echo $?"), want: { code: 0, out: "1\n" } },
  negates: { command: sh("! false"), want: { code: 0 } },
  tests: { command: sh("[ a = a ] && test 1 -lt 2 && echo yes"), want: { code: 0, out: "yes\n" } },
  "reads lines and comments": { command: sh("# first\necho a\n\necho b # rest"), want: { code: 0, out: "a\nb\n" } },
  "reads its script from what is typed": { command: ["sh"], stdin: "echo a\nexit 3\n", want: { code: 3, out: "a\n" } },
  "refuses pipes": {
    command: sh("echo a | cat"),
    want: { code: 2, err: 'sh: 1: "|" is not supported in the sandbox\n' },
  },
  "refuses an open quote": {
    command: sh("echo 'a"),
    want: { code: 2, err: "sh: 1: Syntax error: Unterminated quoted string\n" },
  },
  "takes an empty script": { command: sh(""), want: { code: 0, out: "" } },
};

for (const [name, { command, stdin, want }] of Object.entries(cases)) {
  test(`simulatedExec ${name}`, async () => expect(await run(command, stdin)).toMatchObject(want));
}

test("simulatedExec stops a sleep when it is told to", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const running = simulatedExec(systemClock)(
    { namespace: "ns", pod: "p", container: "c", command: ["sleep", "1h"], stdin: (async function* () {})() },
    { stdout: () => {}, stderr: () => {} },
    { signal: controller.signal },
  );
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
});
