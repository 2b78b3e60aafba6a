import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@jibe/testkit";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ProductWorld } from "../../e2e/product/product-world.ts";
import { TestTerminal } from "../../e2e/product/terminal.ts";

const program = join(import.meta.dirname, "../../../packages/jibe/bin/jibe.js");

interface Shell {
  readonly start: string;
  readonly load: string;
  readonly prompt: string;
  readonly most?: number;
}

/** How each shell is started bare, told of the completion, and given a prompt that is easy to see. */
const shells: Record<string, Shell> = {
  bash: { start: "bash --norc --noprofile", load: "source <(jibe completion bash)", prompt: "PS1='> '" },
  "zsh, sourced": { start: "zsh -f", load: "source <(jibe completion zsh)", prompt: "PS1='> '" },
  "zsh, from a folder of functions": {
    start: "zsh -f",
    load: "jibe completion zsh > _jibe; fpath+=($PWD); autoload -U compinit; compinit -D",
    prompt: "PS1='> '",
    most: 1, // what differs is how it is found
  },
  fish: {
    start: "fish --no-config",
    load: "jibe completion fish | source",
    prompt: "set -g fish_autosuggestion_enabled 0; function fish_prompt; echo '> '; end",
  },
};

/** What is typed before Tab, and what then stands there. */
const completed: Record<string, readonly [string, string]> = {
  "a command": ["jibe backup desc", "jibe backup describe"],
  "a flag": ["jibe backup describe --outp", "jibe backup describe --output"],
  "the value of a flag": ["jibe backup get -o j", "jibe backup get -o json"],
  "a value after its equals sign": ["jibe backup get --output=y", "jibe backup get --output=yaml"],
  "a name of the cluster": ["jibe backup describe nigh", "jibe backup describe nightly"],
  "a name as a flag's value": ["jibe restore create --from-backup nigh", "jibe restore create --from-backup nightly"],
  "one more of a list": [
    "jibe backup create x --include-namespaces=a,kube-s",
    "jibe backup create x --include-namespaces=a,kube-system",
  ],
  "a file": ["jibe install --secret-file secr", "jibe install --secret-file secrets.txt"],
  "a file after an equals sign": ["jibe install --secret-file=secr", "jibe install --secret-file=secrets.txt"],
};

describe("the completion of the command line", { timeout: 180_000 }, () => {
  let world: ProductWorld;
  let home: string;
  beforeAll(async () => {
    const { status } = spawnSync("sh", [
      "-c",
      "command -v bash && command -v zsh && command -v fish && command -v tmux",
    ]);
    if (status !== 0) throw new Error("bash, zsh, fish and tmux are needed: run scripts/install-shells.sh");
    world = await ProductWorld.start();
    await world.jibe("backup", "create", "nightly");
    home = join(world.dir, "home");
    mkdirSync(home);
    writeFileSync(join(home, "secrets.txt"), "");
    writeFileSync(join(home, "jibe"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  }, 120_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  for (const [name, { start, load, prompt, most }] of Object.entries(shells)) {
    test(`works in ${name}`, async () => {
      using terminal = new TestTerminal({ columns: 100 });
      terminal.type(
        `cd '${home}'; export HOME='${home}' PATH='${home}':"$PATH" KUBECONFIG='${world.kubeconfig}'; exec ${start}`,
      );
      for (const line of [prompt, load, "clear; echo ready"]) terminal.type(line);
      await terminal.shows(/^ready\n> *$/m);
      for (const [what, [typed, wanted]] of Object.entries(completed).slice(0, most)) {
        terminal.press(typed);
        await terminal.shows(typed);
        await completes(terminal, wanted, what);
        terminal.press("C-u");
        await eventually(() => !terminal.screen().includes(wanted), { timeoutMs: 20_000 });
      }
    });
  }
});

/** Names are offered only while the cluster answers at once: on a busy machine Tab may have to be pressed again. */
async function completes(terminal: TestTerminal, wanted: string, what: string): Promise<void> {
  await eventually(
    async () => {
      terminal.press("Tab");
      return eventually(() => terminal.screen().includes(wanted), { timeoutMs: 8000 }).catch(() => {
        throw new Error(`${what} is not completed:\n${terminal.screen()}`);
      });
    },
    { timeoutMs: 60_000 },
  );
}
