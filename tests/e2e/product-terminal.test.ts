import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configMap, eventually } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { coreTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld, patiently, type RunningServer } from "./product/product-world.ts";
import { hasTerminals, TestTerminal } from "./product/terminal.ts";

const program = join(import.meta.dirname, "../../packages/jibe/bin/jibe.js");
const waiting = "WaitingForPluginOperations";

describe.skipIf(!hasTerminals)("the command line on a terminal", { timeout: 90_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  let jibe: string;
  beforeAll(async () => {
    world = await ProductWorld.start();
    server = await world.startServer();
    await world.addLocation();
    await world.deployHeld("shop", "operation");
    await world.create(coreTypes.configMap, configMap("second", { namespace: "shop", labels: { hold: "operation" } }));
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    await world.jibe("backup", "create", "held", "--include-namespaces=shop");
    await world.untilPhase("backup", "held", [waiting]);
    jibe = join(world.dir, "j");
    const line = `exec '${process.execPath}' '${program}' "$@" --kubeconfig='${world.kubeconfig}'`;
    writeFileSync(jibe, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  test("shows a bar for each operation, and Ctrl-C leaves the run alone", async () => {
    using terminal = new TestTerminal({ columns: 110 });
    terminal.type(`${jibe} backup watch held; echo exit=$?`);
    const screen = await terminal.shows("configmaps shop/second");
    expect(screen).toMatch(/WaitingForPluginOperations +░+ +0\/2 operations/);
    expect(screen).toMatch(/configmaps shop\/shop +█+░+ +37% +3 of 8 MB/);
    const before = terminal.screen();
    await eventually(() => terminal.screen() !== before, patiently); // it moves
    expect(terminal.screen().match(/WaitingForPluginOperations/g)).toHaveLength(1);
    terminal.press("C-c");
    expect(await terminal.shows("exit=130")).not.toContain("░");
    expect(await world.find("backup", "held")).toMatchObject({ status: { phase: waiting } });
  });

  test("fits a narrow terminal, and one that is made narrower and wider", async () => {
    using terminal = new TestTerminal({ columns: 100 });
    terminal.type(`clear; ${jibe} backup watch held`);
    await terminal.shows(/shop\/second +█/);
    for (const columns of [60, 36, 120]) {
      terminal.resize(columns);
      const screen = await terminal.shows(
        columns > 100 ? /shop\/second +█/ : columns > 40 ? /second +37% +3 of 8 MB/ : /second +37%$/m,
      );
      expect(screen.match(/WaitingForPluginOperations/g)).toHaveLength(1);
      expect(screen.match(/ 37%/g)).toHaveLength(2);
    }
    terminal.press("C-c");
  });

  test("uses colours on a terminal, unless NO_COLOR is set", async () => {
    using terminal = new TestTerminal({ columns: 100 });
    terminal.type(`${jibe} backup watch held`);
    await terminal.shows("shop/second");
    expect(terminal.screen({ styles: true })).toContain("\u001b[");
    terminal.press("C-c");
    terminal.type(`clear; NO_COLOR=1 ${jibe} backup watch held`);
    await terminal.shows(/shop\/second/);
    await eventually(() => !terminal.screen({ styles: true }).includes("\u001b["), patiently);
    terminal.press("C-c");
  });

  test("writes plain lines into a pipe", async () => {
    using terminal = new TestTerminal({ columns: 100 });
    const file = join(world.dir, "piped");
    terminal.type(`${jibe} backup watch held | tee ${file}`);
    await eventually(() => readFileSync(file, "utf8").includes(`${waiting}: 0/2 operations\n`), { timeoutMs: 60_000 });
    expect(readFileSync(file, "utf8")).not.toContain("\u001b");
    terminal.press("C-c");
  });

  test("ends quietly when nobody reads its output any more", async () => {
    using terminal = new TestTerminal({ columns: 100 });
    terminal.type(`${jibe} backup watch held 2>&1 | head -1; ${jibe} server --help | head -1; echo end`);
    await terminal.shows(/Run the server.*\nend/);
    expect(terminal.screen()).not.toContain("EPIPE");
  });

  test("breaks the lines of help between words", async () => {
    using terminal = new TestTerminal({ columns: 60 });
    terminal.type(`clear; ${jibe} backup watch --help`);
    await terminal.shows("Show help");
    expect(terminal.screen()).toMatch(/Path of the kubeconfig file\n {28}\(default: KUBECONFIG, then\n/);
  });

  test("asks before it deletes", async () => {
    using terminal = new TestTerminal({ columns: 100 });
    terminal.type(`${jibe} backup delete held; echo exit=$?`);
    await terminal.shows("Are you sure you want to continue (Y/N)?");
    terminal.type("n");
    await terminal.shows("exit=0");
    expect(await world.list("deleteBackupRequest")).toEqual([]);
  });

  test("ends with the outcome and nothing left of the live lines", async () => {
    await world.deployHeld("ending", "operation");
    using terminal = new TestTerminal({ columns: 100 });
    terminal.type(`${jibe} backup create ending --include-namespaces ending --wait; echo exit=$?`);
    await terminal.shows("ending/ending");
    await world.release("ending");
    const screen = await terminal.shows("exit=0");
    expect(screen).toContain("Backup completed with status: Completed");
    expect(screen).not.toMatch(/[░█⠋]/);
  });
});
