import { spawn } from "node:child_process";
import { AppError, type Clock, type Scope, Secret, withDeadline } from "@jibe/base";
import { bearer, type ClientCertificate, type Credentials, type Presented } from "./credentials.ts";
import { isEntry } from "./kubeconfig.ts";
import type { Env } from "./proxy.ts";

/** A program that hands out credentials, as a kubeconfig names it. */
export interface ExecPlugin {
  readonly user: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly installHint: string;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** What the plugin is told about the cluster, when it asked for it. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export interface ExecPluginContext {
  readonly clock: Clock;
  readonly env: Env;
  /** Whether a person at a terminal can answer the plugin's questions. */
  readonly interactive: boolean;
}

const supportedVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const quietLimitMs = 60_000;

/** Checks a kubeconfig's `exec` entry. */
export function execPluginFrom(user: string, entry: Readonly<Record<string, unknown>>): ExecPlugin {
  const wrong = (what: string) => new AppError("InvalidArgument", `the exec plugin of user ${quote(user)} ${what}`);
  const { command, apiVersion, args = [], env = [], interactiveMode, installHint = "" } = entry;
  if (typeof command !== "string" || command === "") throw wrong("has no command");
  if (typeof apiVersion !== "string" || !supportedVersions.includes(apiVersion)) {
    throw wrong(`has apiVersion ${quote(apiVersion ?? "")}: use ${supportedVersions.join(" or ")}`);
  }
  // v1 made the mode mandatory; v1beta1 plugins were written when it did not exist
  const mode = interactiveMode ?? (apiVersion.endsWith("v1beta1") ? "IfAvailable" : undefined);
  if (mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw wrong(`needs interactiveMode Never, IfAvailable or Always, not ${quote(mode ?? "")}`);
  }
  const variables = (Array.isArray(env) ? env : []).filter(isEntry).map(({ name, value }) => [name, value ?? ""]);
  return {
    user,
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(variables),
    apiVersion,
    installHint: String(installHint ?? "").trim(),
    interactiveMode: mode,
  };
}

/** Credentials from a plugin: run when first needed, again when they expire or are refused; never twice at once. */
export function execPluginCredentials(plugin: ExecPlugin, context: ExecPluginContext): Credentials {
  let current: { readonly presented: Presented; readonly expiresAtMs: number } | undefined;
  let running: { readonly result: Promise<Presented>; readonly signal: AbortSignal } | undefined;
  const run = async (scope: Scope): Promise<Presented> => {
    const joined = running;
    if (joined) {
      return joined.result.catch((error: unknown) => {
        // stopped by whoever asked first: no reason for us to fail
        if (joined.signal.aborted && !scope.signal.aborted) return run(scope);
        throw error;
      });
    }
    const result = runPlugin(plugin, context, scope).finally(() => {
      running = undefined;
    });
    running = { result: result.then(({ presented }) => presented), signal: scope.signal };
    running.result.catch(() => {}); // every caller that joins sees the failure through its own promise
    current = await result;
    return current.presented;
  };
  return {
    present: (scope) =>
      current && context.clock.now().getTime() < current.expiresAtMs ? current.presented : run(scope),
    renew: async (refused, scope) => {
      if (current?.presented === refused) await run(scope);
      return true;
    },
  };
}

async function runPlugin(plugin: ExecPlugin, context: ExecPluginContext, scope: Scope) {
  const interactive = context.interactive && plugin.interactiveMode !== "Never";
  if (plugin.interactiveMode === "Always" && !interactive) {
    throw failure(plugin, "needs a terminal to ask for input, and there is none");
  }
  const limit = { ms: quietLimitMs, clock: context.clock, what: `the credential plugin ${quote(plugin.command)}` };
  const output = interactive
    ? await outputOf(plugin, context, interactive, scope)
    : await withDeadline(limit, scope, (inner) => outputOf(plugin, context, interactive, inner));
  return credentialFrom(plugin, output);
}

function outputOf(plugin: ExecPlugin, { env }: ExecPluginContext, interactive: boolean, { signal }: Scope) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const info = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive, ...(plugin.cluster ? { cluster: plugin.cluster } : {}) },
  };
  const child = spawn(plugin.command, plugin.args, {
    env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "pipe"],
    signal,
  });
  const collected = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    collected.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    collected.stderr = (collected.stderr + text).slice(-2000);
  });
  child.on("error", (cause) => {
    if (signal.aborted) return reject(signal.reason);
    const missing = "code" in cause && cause.code === "ENOENT";
    reject(failure(plugin, missing ? "was not found" : "could not be started", cause));
  });
  child.on("close", (code, killedBy) => {
    if (code === 0) return resolve(collected.stdout);
    const ending = code === null ? `was ended by ${killedBy}` : `failed with exit code ${code}`;
    reject(failure(plugin, [ending, collected.stderr.trim()].filter(Boolean).join(": ")));
  });
  return promise;
}

function credentialFrom(plugin: ExecPlugin, output: string) {
  let document: unknown;
  try {
    document = JSON.parse(output);
  } catch (cause) {
    throw failure(plugin, "printed something that is not JSON", cause);
  }
  if (!isEntry(document) || document["kind"] !== "ExecCredential") throw failure(plugin, "printed no ExecCredential");
  if (document["apiVersion"] !== plugin.apiVersion) {
    throw failure(plugin, `answered with ${quote(document["apiVersion"])}, but was asked for ${plugin.apiVersion}`);
  }
  const status = isEntry(document["status"]) ? document["status"] : {};
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: expires } = status;
  if (Boolean(cert) !== Boolean(key)) throw failure(plugin, "gave a certificate without a key, or a key without one");
  if (!token && !cert) throw failure(plugin, "gave neither a token nor a certificate");
  const certificate: ClientCertificate | undefined = cert
    ? { cert: String(cert), key: new Secret(String(key)) }
    : undefined;
  const expiresAtMs = typeof expires === "string" ? Date.parse(expires) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(expiresAtMs)) throw failure(plugin, `gave the unreadable expirationTimestamp ${quote(expires)}`);
  const headers = token ? bearer(new Secret(String(token))) : {};
  return { presented: { headers, ...(certificate ? { certificate } : {}) }, expiresAtMs };
}

function failure(plugin: ExecPlugin, what: string, cause?: unknown): AppError {
  const hint = plugin.installHint ? `; ${plugin.installHint}` : "";
  return new AppError(
    "PermissionDenied",
    `the credential plugin ${quote(plugin.command)} of user ${quote(plugin.user)} ${what}${hint}`,
    { cause },
  );
}

const quote = (value: unknown): string => JSON.stringify(value);
