import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { formatReport, verifyPlugin } from "./index.ts";

const everyKind = join(import.meta.dirname, "../../test/fixtures/every-kind.ts");
const unruly = join(import.meta.dirname, "../../test/fixtures/unruly.ts");

describe("verifyPlugin", { timeout: 120_000 }, () => {
  test("finds nothing wrong with a good plugin", async () => {
    using scope = testScope();
    const configs = { "example.io/o": { bucket: "b" }, "example.io/s": { region: "north" } };
    const report = await verifyPlugin(everyKind, { configs }, scope);
    expect(report.results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(report.ok).toBe(true);
    expect(formatReport(report)).toMatch(/ObjectStore example.io\/o\n {2}ok {6}takes its configuration, twice\n/);
  });

  test("says what it left out for want of a configuration", async () => {
    using scope = testScope();
    const report = await verifyPlugin(everyKind, {}, scope);
    expect(report.ok).toBe(true);
    expect(formatReport(report)).toContain("skipped stores and finds objects\n            no configuration was given");
  });

  test("finds what is wrong with a bad one", async () => {
    using scope = testScope();
    const report = await verifyPlugin(unruly, {}, scope);
    const failed = report.results.filter(({ outcome }) => outcome === "failed");
    expect(Object.fromEntries(failed.map(({ check, reason }) => [check, reason]))).toEqual({
      "lists its plugins, with good names and known kinds": expect.stringContaining("an interpreter"),
      "announces nothing that Velero would refuse": expect.stringContaining("VolumeSnapshotterV2"),
      "refuses a plugin name it does not have": expect.stringContaining("did not list"),
      "does not run without a host": expect.stringContaining("as if all were well"),
      "says what it applies to": expect.stringContaining("invalid label selector"),
      "answers with a whole item, or says why not": expect.stringContaining("not valid JSON"),
      "takes an item of 3 MiB": expect.stringContaining("larger than max"),
      "refuses an item that is no JSON": "it took the item for good",
      "survives a call that is canceled": expect.stringContaining("exited with status 4"),
      "says that a volume of another kind is not its own": expect.stringContaining('as "all are mine"'),
      "sets the volume of a persistent volume, or says why not": "it failed without saying why",
      "answers about a snapshot it does not know": "it failed without saying why",
      "takes the cancelling of a snapshot it does not know": "it failed without saying why",
      "ends when it is asked to": expect.stringContaining("had to be killed"),
      "starts again after it was killed": "it lists other plugins than before",
    });
    expect(report.ok).toBe(false);
  });

  test("quotes a program that is no plugin", async () => {
    using scope = testScope();
    await using dir = await tempDir("verify");
    const program = join(dir.path, "hello");
    await writeFile(program, "#!/bin/sh\necho hello\n");
    await chmod(program, 0o755);
    const report = await verifyPlugin(program, {}, scope);
    expect(report.ok).toBe(false);
    expect(formatReport(report)).toMatch(/FAILED {2}starts and says where it listens\n.*not a plugin's first line/s);
  });
});
