import { readFile } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { loadYaml } from "./load-yaml.ts";
import type { Env } from "./proxy.ts";

type Entry = Readonly<Record<string, unknown>>;

/** One or more kubeconfig files, merged; every path in it is absolute. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

/** The files to read: the one asked for, those of KUBECONFIG, or the one in the home directory. */
export function kubeconfigPaths(explicit: string | undefined, env: Env): readonly string[] {
  if (explicit) return [explicit];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) return listed;
  const home = env["HOME"] || env["USERPROFILE"];
  return home ? [join(home, ".kube", "config")] : [];
}

/**
 * Reads the files and merges them: the first to name an entry or a current context wins. Of several files some may be
 * missing, as with kubectl; undefined when none exists.
 */
export async function loadKubeconfig(paths: readonly string[], scope: Scope): Promise<Kubeconfig | undefined> {
  const found: { path: string; document: Entry }[] = [];
  for (const path of paths) {
    const text = await readIfPresent(path);
    if (text !== undefined) found.push({ path: resolve(path), document: parse(path, text) });
    else if (paths.length > 1) scope.log.warn("a kubeconfig file is missing", { path });
  }
  if (found.length === 0) return undefined;
  const merged = {
    clusters: new Map<string, Entry>(),
    users: new Map<string, Entry>(),
    contexts: new Map<string, Entry>(),
  };
  for (const { path, document } of found) {
    mergeInto(merged.clusters, entriesOf(path, document, "clusters", "cluster"));
    mergeInto(merged.users, entriesOf(path, document, "users", "user"));
    mergeInto(merged.contexts, entriesOf(path, document, "contexts", "context"));
  }
  const currentContext = found.map(({ document }) => document["current-context"]).find((name) => Boolean(name));
  return { files: found.map(({ path }) => path), currentContext: String(currentContext ?? ""), ...merged };
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new AppError("InvalidArgument", `cannot read the kubeconfig ${JSON.stringify(path)}`, { cause });
  }
}

function parse(path: string, text: string): Entry {
  try {
    const document = loadYaml(text) ?? {};
    if (isEntry(document)) return document;
  } catch (cause) {
    throw new AppError("InvalidArgument", `the kubeconfig ${JSON.stringify(path)} is not valid YAML`, { cause });
  }
  throw new AppError("InvalidArgument", `the kubeconfig ${JSON.stringify(path)} is not a mapping of settings`);
}

const pathKeys = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];

function entriesOf(path: string, document: Entry, listKey: string, valueKey: string): [string, Entry][] {
  const list = document[listKey] ?? [];
  const wrong = (what: string) =>
    new AppError("InvalidArgument", `the kubeconfig ${JSON.stringify(path)} has ${what} in ${JSON.stringify(listKey)}`);
  if (!Array.isArray(list)) throw wrong("no list");
  return list.map((item: unknown): [string, Entry] => {
    if (!isEntry(item) || typeof item["name"] !== "string") throw wrong("an entry without a name");
    const value = item[valueKey] ?? {};
    if (!isEntry(value)) throw wrong(`an unusable entry ${JSON.stringify(item["name"])}`);
    return [item["name"], withAbsolutePaths(dirname(resolve(path)), value)];
  });
}

function withAbsolutePaths(folder: string, entry: Entry): Entry {
  const result: Record<string, unknown> = { ...entry };
  for (const key of pathKeys) {
    const value = result[key];
    if (typeof value === "string" && value !== "" && !isAbsolute(value)) result[key] = join(folder, value);
  }
  const exec = result["exec"];
  if (isEntry(exec) && typeof exec["command"] === "string") {
    const command = exec["command"];
    // a bare name is looked up in PATH; anything with a slash is meant relative to this file
    const relative = /[\\/]/.test(command) && !isAbsolute(command);
    if (relative) result["exec"] = { ...exec, command: join(folder, command) };
  }
  return result;
}

function mergeInto(target: Map<string, Entry>, entries: readonly [string, Entry][]): void {
  for (const [name, entry] of entries) if (!target.has(name)) target.set(name, entry);
}

/** Whether a value is a mapping. */
export function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
