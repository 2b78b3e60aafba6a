import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { type Import, isTest, resolveRelative, root, type SourceFile } from "./source-files.ts";

/** Which of our packages a package may import. What is not listed fails. */
const packageImports: Readonly<Record<string, readonly string[]>> = {
  base: [],
  kube: ["@jibe/base"],
  sandbox: ["@jibe/base"],
  "go-plugin": ["@jibe/base"],
  "plugin-sdk": ["@jibe/base", "@jibe/go-plugin"],
  engine: ["@jibe/base", "@jibe/plugin-sdk/contracts"],
  jibe: ["@jibe/base", "@jibe/kube", "@jibe/sandbox", "@jibe/go-plugin", "@jibe/plugin-sdk", "@jibe/engine"],
  web: [],
  testkit: ["@jibe/base", "@jibe/kube", "@jibe/sandbox", "@jibe/go-plugin", "@jibe/plugin-sdk", "@jibe/engine", "jibe"],
};

interface FolderRule {
  readonly packages: readonly string[];
  readonly folders: readonly string[];
}

const contracts = "@jibe/plugin-sdk/contracts";

/** Inside jibe: which packages (besides base) and which sibling folders a folder may import. `server` may import all. */
const jibeFolders: Readonly<Record<string, FolderRule>> = {
  api: { packages: ["@jibe/engine", contracts], folders: [] },
  crds: { packages: [contracts], folders: ["api"] },
  actions: { packages: ["@jibe/engine", contracts], folders: ["api"] },
  "object-store": { packages: ["@jibe/engine", contracts], folders: ["api", "scratch"] },
  scratch: { packages: ["@jibe/engine"], folders: [] },
  cluster: { packages: ["@jibe/engine", "@jibe/kube", contracts], folders: ["api"] },
  metrics: { packages: [], folders: ["api"] },
  "local-volume": { packages: ["@jibe/engine", "@jibe/plugin-sdk"], folders: ["api", "scratch"] },
  "plugin-host": { packages: ["@jibe/engine", "@jibe/plugin-sdk", "@jibe/go-plugin"], folders: ["api"] },
  controllers: { packages: ["@jibe/engine", "@jibe/kube", contracts], folders: ["api", "crds"] },
  // Of the engine, the command line uses pure decisions: phases, filters, names of files.
  cli: { packages: ["@jibe/kube", "@jibe/engine", contracts], folders: ["api", "crds"] },
};

// These commands start what they are named for, and load it only then.
const lazyCommands = /^packages\/jibe\/src\/cli\/(server|sandbox|quickstart|plugin)\//;

const outsideEngine = /^node:(fs|net|tls|http|https|http2|dgram|child_process|worker_threads|cluster)(\/|$)/;
const engineForeign = /^(undici|@grpc\/|@kubernetes\/|@aws-sdk\/|ws$)/;

/** What is wrong with one import, as a sentence that says what to do instead; undefined when nothing is. */
export function importFault(file: SourceFile, wanted: Import): string | undefined {
  const [, packageName = ""] = /^packages\/([^/]+)\//.exec(file.path) ?? [];
  if (packageName === "") return undefined;
  if (wanted.specifier.startsWith(".")) return relativeFault(file, wanted, packageName);
  if (wanted.specifier.startsWith("@jibe/") || wanted.specifier === "jibe") return ownFault(file, wanted, packageName);
  return foreignFault(file, wanted, packageName);
}

function relativeFault(file: SourceFile, wanted: Import, packageName: string): string | undefined {
  const target = resolveRelative(file.path, wanted.specifier);
  if (!target.startsWith(`packages/${packageName}/`)) {
    return "leaves its package by a relative path: import the other package by its name, through its index.ts";
  }
  if (packageName !== "jibe" || isTest(file.path)) return undefined;
  return jibeFolderFault(file.path, wanted, { targetFolder: folderInJibe(target) });
}

function ownFault(file: SourceFile, wanted: Import, packageName: string): string | undefined {
  const { specifier } = wanted;
  const name = packageOf(specifier);
  if (!exportsOf(name).includes(specifier)) {
    return `reaches into "${name}": import what it exports (${exportsOf(name).join(", ")}), or export it there`;
  }
  if (isTest(file.path)) return undefined;
  if (name === "@jibe/testkit") {
    return packageName === "testkit"
      ? undefined
      : "uses the testkit outside a test: move the code into a test, or do without";
  }
  const allowed = packageImports[packageName] ?? [];
  if (name === "@jibe/base" || matches(allowed, specifier)) {
    return packageName === "jibe" ? jibeFolderFault(file.path, wanted, {}) : undefined;
  }
  return `may import only ${list(allowed)} of our packages: take what you need as a port or a parameter, and let the caller bind it`;
}

function jibeFolderFault(
  path: string,
  { specifier, isLazy, isTypeOnly }: Import,
  { targetFolder }: { targetFolder?: string },
): string | undefined {
  const folder = folderInJibe(path);
  if (folder === "server" || folder === "" || targetFolder === folder || targetFolder === "") return undefined;
  if (isLazy && lazyCommands.test(path)) return undefined;
  if (path.startsWith("packages/jibe/src/cli/quickstart/plugins/")) return undefined; // programs of their own
  const rule = jibeFolders[folder];
  if (!rule) return `lies in jibe/src/${folder}, which has no rule: add one to tests/architecture/import-rules.ts`;
  if (targetFolder !== undefined) {
    if (rule.folders.includes(targetFolder)) return undefined;
    return `lies in jibe/src/${folder}, which may import ${list(rule.folders)} of its siblings: let server/ hand it in instead`;
  }
  // Types cost nothing to load; that the package may be named at all was checked before.
  if (isTypeOnly || specifier === "@jibe/base" || matches(rule.packages, specifier)) return undefined;
  return `lies in jibe/src/${folder}, which may import ${list(["@jibe/base", ...rule.packages])}: let server/ hand it in instead`;
}

function foreignFault(file: SourceFile, { specifier }: Import, packageName: string): string | undefined {
  if (
    packageName === "engine" &&
    !isTest(file.path) &&
    (outsideEngine.test(specifier) || engineForeign.test(specifier))
  ) {
    return "is in the engine, which knows no files, network or processes: add a port to engine/src/ports and let jibe implement it";
  }
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) return undefined;
  const { dependencies = {} } = manifestOf(packageName);
  if (isTest(file.path) || Object.hasOwn(dependencies, packageOf(specifier))) return undefined;
  return `uses "${packageOf(specifier)}", which packages/${packageName}/package.json does not list under dependencies: list it, with a line in docs/decisions`;
}

const folderInJibe = (path: string) => /^packages\/jibe\/src\/([^/]+)\//.exec(path)?.[1] ?? "";

const packageOf = (specifier: string) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

const matches = (allowed: readonly string[], specifier: string) =>
  allowed.some((each) => specifier === each || (specifier.startsWith(`${each}/`) && !each.endsWith("/contracts")));

const list = (names: readonly string[]) => (names.length === 0 ? "nothing" : names.join(", "));

interface Manifest {
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(packageName: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", packageName, "package.json"), "utf8")) as Manifest;
}

function exportsOf(name: string): readonly string[] {
  const { exports = {} } = manifestOf(name.replace("@jibe/", ""));
  return Object.keys(exports).map((path) => name + path.slice(1));
}
