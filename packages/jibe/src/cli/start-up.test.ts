import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Flags, flagName } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";
import { globalValueFlags } from "./match-command.ts";

const repository = join(import.meta.dirname, "../../../..");
const program = join(repository, "packages/jibe/bin/jibe.js");

/** Code for a process of its own: at its end, tells on standard error which files it loaded. */
const tellLoaded = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on("exit", () => process.stderr.write(loaded.join("\\n")));`;

/** The files that Node loads with these arguments, seen from the repository's root. Node's own modules are left out. */
async function loadedBy(...argv: string[]): Promise<string[]> {
  const hook = `data:text/javascript,${encodeURIComponent(tellLoaded)}`;
  const { stderr } = await promisify(execFile)(process.execPath, ["--import", hook, ...argv]);
  const root = new URL(`file://${repository}/`).href;
  return stderr
    .split("\n")
    .filter((url) => url.startsWith(root))
    .map((url) => url.slice(root.length));
}

const own = (path: string) => `packages/jibe/${path}`;

for (const words of [["--help"], [], ["backup", "--help"], ["-n", "velero", "get"]]) {
  test(`"jibe ${words.join(" ")}" lists commands with the few files that this needs`, async () => {
    const few = ["command-table", "exit-code", "group-help", "main", "match-command", "output", "print/wrap-text"];
    expect((await loadedBy(program, ...words)).sort()).toEqual([
      own("bin/jibe.js"),
      ...few.map((name) => own(`src/cli/${name}.ts`)),
    ]);
  });
}

const isLight = (path: string) => /^packages\/(base|jibe)\//.test(path);

for (const words of [
  ["version", "--client-only"],
  ["backup", "create", "--help"],
]) {
  test(`"jibe ${words.join(" ")}" loads neither the engine, nor the Kubernetes client, nor a library`, async () => {
    const loaded = await loadedBy(program, ...words);
    expect(loaded).toContain(own("src/cli/run-command.ts"));
    expect(loaded.filter((path) => !isLight(path))).toEqual([]);
  });
}

test("no command loads the engine, the Kubernetes client or a library before it runs", async () => {
  const table = JSON.stringify(join(import.meta.dirname, "command-table.ts"));
  const loadAll = `
    import { commandTable } from ${table};
    await Promise.all(commandTable.map(({ load }) => load()));`;
  const loaded = await loadedBy("--input-type=module", "--eval", loadAll);
  expect(loaded).toContain(own("src/cli/backup/create.ts"));
  expect(loaded.filter((path) => !isLight(path))).toEqual([]);
});

test("the flags that take the next word, known by name, are the global flags that need a value", () => {
  const flags: Flags = globalFlags;
  const names = Object.entries(flags).flatMap(([key, { bare, short }]) =>
    bare === undefined ? [`--${flagName(key)}`, ...(short ? [`-${short}`] : [])] : [],
  );
  expect([...globalValueFlags].sort()).toEqual(names.sort());
});
