import { expect, test } from "vitest";
import { commandTable } from "../command-table.ts";
import { candidates, type FindNames } from "./candidates.ts";

const names: FindNames = async (kind, { namespace }) =>
  namespace === "elsewhere" ? ["far"] : kind === "backup" ? ["nightly-1", "shop"] : [`some-${kind}`];

const cases: Record<string, [string[], string[]]> = {
  "the first word": [["bac"], ["backup", "backup-location"]],
  "the next word of a command": [
    ["schedule", ""],
    ["create", "delete", "describe", "get", "pause", "unpause"],
  ],
  "the next word after an alias": [["backups", "des"], ["describe"]],
  "the next word after a verb": [
    ["describe", ""],
    ["backup", "restore", "schedule"],
  ],
  "no command that is hidden": [["__"], []],
  "a flag": [
    ["backup", "create", "x", "--include-n"],
    ["--include-namespace-scoped-resources", "--include-namespaces"],
  ],
  "no flag that is hidden": [["server", "--client-q"], []],
  "a choice after its flag": [
    ["backup", "get", "-o", ""],
    ["json", "table", "yaml"],
  ],
  "a choice as bash cuts it": [["backup", "get", "--output", "=", "j"], ["json"]],
  "a choice right after bash's cut": [
    ["backup", "get", "--output", "="],
    ["json", "table", "yaml"],
  ],
  "a choice as other shells write it": [["backup", "get", "--output=j"], ["--output=json"]],
  "the name of an object": [
    ["backup", "describe", ""],
    ["nightly-1", "shop"],
  ],
  "one more name": [["backup", "delete", "shop", "n"], ["nightly-1"]],
  "a name after the verb's form": [["get", "backup-location", ""], ["some-backupStorageLocation"]],
  "a name in the namespace that was typed": [["backup", "logs", "-n", "elsewhere", ""], ["far"]],
  "a name for a flag": [["restore", "create", "--from-backup", "s"], ["shop"]],
  "no name that was typed already": [["backup", "delete", "shop", "s"], []],
  "a name for a flag, in the namespace that was typed": [
    ["restore", "create", "-n", "elsewhere", "--from-backup", ""],
    ["far"],
  ],
  "a namespace": [["backup", "create", "x", "--include-namespaces", ""], ["some-namespace"]],
  "one more of a list": [
    ["backup", "create", "x", "--include-namespaces=a,so"],
    ["--include-namespaces=a,some-namespace"],
  ],
  "the value of a flag before the command": [["-n", ""], ["some-namespace"]],
  "a flag before the command": [["--kubec"], ["--kubeconfig", "--kubecontext"]],
  "a file for a flag": [["install", "--secret-file", "x"], ["<path>"]],
  "a file for an argument": [["plugin", "verify", ""], ["<path>"]],
  "a word of the usage": [["completion", "z"], ["zsh"]],
  "no name for what is new": [["backup", "create", ""], []],
  "nothing after a command that does not exist": [["bakup", ""], []],
};
for (const [name, [words, want]] of Object.entries(cases)) {
  test(`completes ${name}`, async () => expect(await candidates(words, commandTable, names)).toEqual(want));
}
