import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@jibe/base";

/** The client's own settings file, shared with Velero's client. */
export interface Settings {
  readonly namespace?: string;
  readonly features?: string;
  readonly cacert?: string;
  readonly colorized?: string;
  readonly [key: string]: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

export function settingsPath(env: Env): string {
  return join(env["HOME"] ?? "", ".config", "velero", "config.json");
}

/** Reads the settings; a missing file means none. */
export async function readSettings(env: Env): Promise<Settings> {
  const path = settingsPath(env);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new AppError("Internal", `cannot read the settings file ${path}`, { cause: error });
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("it holds no object");
    return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, String(value)]));
  } catch (cause) {
    throw new AppError("InvalidArgument", `the settings file ${path} is not valid: fix or remove it`, { cause });
  }
}

export async function writeSettings(env: Env, settings: Settings): Promise<void> {
  const path = settingsPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writeFile(path, `${JSON.stringify(settings)}\n`, { mode: 0o600 });
}

/** The namespace of the server: the flag, the settings file, VELERO_NAMESPACE, then `velero`. */
export async function serverNamespace(flag: string, env: Env): Promise<string> {
  if (flag !== "") return flag;
  return (await readSettings(env)).namespace || env["VELERO_NAMESPACE"] || "velero";
}
