import { basename } from "node:path";
import { isTest, type SourceFile } from "./source-files.ts";

interface CodeRule {
  readonly pattern: RegExp;
  /** Where the rule does not hold. */
  readonly except: (path: string) => boolean;
  readonly instead: string;
}

const isScript = (path: string) =>
  /^(scripts|tests\/bench|tests\/compat|tests\/simulation\/main|packages\/[^/]+\/(scripts|bench))\//.test(path) ||
  path === "vitest.config.ts";
const isOneOf =
  (...paths: readonly string[]) =>
  (path: string) =>
    paths.includes(path);

/** Files that may read the environment or the command line, each the edge of a program. */
const programEdges = [
  "packages/jibe/src/server/config.ts",
  "packages/jibe/src/cli/main.ts",
  "packages/sandbox/src/main.ts",
  "packages/testkit/src/peers/environment.ts",
  "packages/testkit/src/peers/main.ts",
  "packages/plugin-sdk/src/serve-plugins.ts",
];

/** Programs that a plugin's author writes: they have no clock handed to them. */
const isPluginProgram = (path: string) => path.startsWith("examples/") || path.includes("/cli/quickstart/plugins/");

/** What code may not say, and what to say instead. */
export const codeRules: readonly CodeRule[] = [
  {
    pattern: /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(/,
    except: (path) => path === "packages/base/src/clock.ts" || isScript(path) || isTest(path) || isPluginProgram(path),
    instead: "reads the time of the machine: take a Clock and ask it",
  },
  {
    pattern: /\bset(Timeout|Interval)\(/,
    except: (path) => path === "packages/base/src/clock.ts" || isScript(path),
    instead: "sets a timer: take a Clock and use its sleep or after; a test waits on a condition with eventually()",
  },
  {
    pattern: /\bprocess\.(env|argv)\b/,
    except: (path) => programEdges.includes(path) || isScript(path) || isTest(path) || path.startsWith("examples/"),
    instead:
      "reads the environment or the command line: take the value as a parameter; only a program's edge reads them",
  },
  {
    pattern: /\bprocess\.exit\(/,
    // A plugin ends when its host is gone, whatever its author left running.
    except: (path) => isScript(path) || isTest(path) || path === "packages/plugin-sdk/src/serve-plugins.ts",
    instead: "ends the process: return an exit code, or set process.exitCode at the program's edge",
  },
  {
    pattern: /\bvi\.(mock|doMock|fn|spyOn|useFakeTimers)\b/,
    except: isOneOf(),
    instead: "mocks: use a small true implementation, faulty() on a real one, or fakeClock()",
  },
  {
    pattern: /^export default\b/m,
    except: isOneOf("vitest.config.ts"),
    instead: "has a default export: export it by name",
  },
  {
    pattern: /\b(interface|type|class)\s+(I[A-Z][a-z]\w*|\w+Impl)\b/,
    except: isOneOf("packages/plugin-sdk/src/contracts/item-block-action.ts"),
    instead: "names a type I… or …Impl: name it for what it is",
  },
];

/** Files longer than this fail, tests and tables apart. */
export const longestFile = 400;

/** Tables of cases or names: long, but without logic. */
export const tables = [/-table\.ts$/, /\/tables\//];

const bannedNames = new Set(["utils", "util", "helpers", "helper", "common", "misc", "data", "manager"]);

/** A part of the path that says nothing about what is inside. */
export function bannedNameIn(path: string): string | undefined {
  const parts = path.split("/").map((part) => basename(part).replace(/(\.peers)?(\.test)?\.ts$/, ""));
  return parts.find((part) => bannedNames.has(part));
}

/** The sentences about one file's text. */
export function codeFaults(file: SourceFile): readonly string[] {
  return codeRules
    .filter(({ pattern, except }) => !except(file.path) && pattern.test(file.code))
    .map(({ pattern, instead }) => `${file.path}:${lineOf(file.code, pattern)} ${instead}`);
}

function lineOf(code: string, pattern: RegExp): number {
  return code.slice(0, pattern.exec(code)?.index ?? 0).split("\n").length;
}
