import { describe, expect, test } from "vitest";
import { bannedNameIn, codeFaults, longestFile, tables } from "./architecture/code-rules.ts";
import { importCycles } from "./architecture/import-cycles.ts";
import { importFault } from "./architecture/import-rules.ts";
import { codeOnly, importsOf, isTest, readSources, type SourceFile } from "./architecture/source-files.ts";

const packages = readSources(["packages"]);
const everything = [...packages, ...readSources(["tests", "scripts", "examples"])];

describe("the source keeps the house rules", () => {
  test("packages import only what they may", () => {
    const faults = packages.flatMap((file) =>
      file.imports.flatMap((each) => {
        const fault = importFault(file, each);
        return fault === undefined ? [] : [`${file.path} (import of "${each.specifier}") ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  test("no files import one another in a ring", () => {
    const rings = importCycles(packages).map((ring) => `${ring.join(" → ")}: move what both need into a third file`);
    expect(rings).toEqual([]);
  });

  test("a package's index.ts only re-exports", () => {
    const faults = packages
      .filter(({ path }) => /^packages\/[^/]+\/src\/index\.ts$/.test(path))
      .filter(
        ({ code }) =>
          code.replace(/export\s+(type\s+)?(\*|\{[^}]*\})(\s+as\s+\w+)?(\s+from\s+" *")?;/g, "").trim() !== "",
      )
      .map(({ path }) => `${path} has code of its own: move it into a file named for it, and re-export that`);
    expect(faults).toEqual([]);
  });

  test("time, environment, exits and mocks stay where they belong", () => {
    expect(everything.flatMap(codeFaults)).toEqual([]);
  });

  test("files are of a size that can be read", () => {
    const faults = everything
      .filter(({ path }) => !isTest(path) && !tables.some((table) => table.test(path)))
      .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
      .filter(({ lines }) => lines > longestFile)
      .map(
        ({ path, lines }) =>
          `${path} has ${lines} lines: find its second idea and give it a file (${longestFile} at most)`,
      );
    expect(faults).toEqual([]);
  });

  test("names say what is inside", () => {
    const faults = everything.flatMap(({ path }) => {
      const name = bannedNameIn(path);
      return name === undefined ? [] : [`${path}: "${name}" says nothing; name it for its main export`];
    });
    expect(faults).toEqual([]);
  });
});

describe("the rules themselves", () => {
  const file = (path: string, text: string): SourceFile => ({
    path,
    text,
    code: codeOnly(text),
    imports: importsOf(text),
  });
  const faultOf = (path: string, text: string) => {
    const source = file(path, text);
    const [first] = source.imports;
    return first && importFault(source, first);
  };

  const cases: Record<string, { path: string; text: string; want: RegExp | undefined }> = {
    "kube may import base": {
      path: "packages/kube/src/a.ts",
      text: 'import { retry } from "@jibe/base";',
      want: undefined,
    },
    "kube may not import the engine": {
      path: "packages/kube/src/a.ts",
      text: 'import { x } from "@jibe/engine";',
      want: /may import only @jibe\/base/,
    },
    "the engine sees the plugins' contracts alone": {
      path: "packages/engine/src/a.ts",
      text: 'import { servePlugins } from "@jibe/plugin-sdk";',
      want: /may import only/,
    },
    "the engine has no files": {
      path: "packages/engine/src/a.ts",
      text: 'import { open } from "node:fs/promises";',
      want: /add a port/,
    },
    "no package is entered by the side": {
      path: "packages/jibe/src/server/a.ts",
      text: 'import { x } from "@jibe/kube/src/list/list.ts";',
      want: /reaches into/,
    },
    "no package is entered by a relative path": {
      path: "packages/jibe/src/server/a.ts",
      text: 'import { x } from "../../../kube/src/index.ts";',
      want: /leaves its package/,
    },
    "the testkit stays in tests": {
      path: "packages/jibe/src/server/a.ts",
      text: 'import { fakeClock } from "@jibe/testkit";',
      want: /outside a test/,
    },
    "a command does not load the server": {
      path: "packages/jibe/src/cli/backup/create.ts",
      text: 'import { runServer } from "../../server/run-server.ts";',
      want: /let server\/ hand it in/,
    },
    "the server command loads it when it runs": {
      path: "packages/jibe/src/cli/server/server.ts",
      text: 'const { runServer } = await import("../../server/run-server.ts");',
      want: undefined,
    },
    "a dependency has to be listed": {
      path: "packages/kube/src/a.ts",
      text: 'import express from "express";',
      want: /does not list/,
    },
  };
  for (const [name, { path, text, want }] of Object.entries(cases)) {
    test(name, () => {
      const fault = faultOf(path, text);
      if (want === undefined) expect(fault).toBeUndefined();
      else expect(fault).toMatch(want);
    });
  }

  test("code is judged, comments and strings are not", () => {
    const said = file("packages/kube/src/a.ts", '// Date.now() is banned\nconst text = "process.env";\n');
    expect(codeFaults(said)).toEqual([]);
    const done = file("packages/kube/src/a.ts", "\nconst at = Date.now();\n");
    expect(codeFaults(done)).toEqual([
      "packages/kube/src/a.ts:2 reads the time of the machine: take a Clock and ask it",
    ]);
  });

  test("a ring is found", () => {
    const ring = [
      file("packages/kube/src/a.ts", 'import { b } from "./b.ts";'),
      file("packages/kube/src/b.ts", 'import { a } from "./a.ts";'),
      file("packages/kube/src/c.ts", 'import type { a } from "./a.ts";'),
    ];
    expect(importCycles(ring)).toEqual([
      ["packages/kube/src/a.ts", "packages/kube/src/b.ts", "packages/kube/src/a.ts"],
    ]);
  });
});
