import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The variables that peers and Go see. The only place of the testkit that reads the environment. */
export function inheritedEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !clientSettings.has(name)) env[name] = value;
  }
  return { ...env, ...more };
}

// A peer must never reach a cluster of the person who runs the tests.
const clientSettings = new Set([
  "KUBECONFIG",
  "KUBERNETES_SERVICE_HOST",
  "KUBERNETES_SERVICE_PORT",
  "VELERO_NAMESPACE",
]);

/** Where built peers are kept, outside the repository: `$XDG_CACHE_HOME/jibe/peers`, by default below `~/.cache`. */
export function peersCacheDir(): string {
  const base = process.env["XDG_CACHE_HOME"];
  return join(base === undefined || base === "" ? join(homedir(), ".cache") : base, "jibe", "peers");
}

/** The folder of the Go modules that the peers are built from. */
export const goModulesDir = fileURLToPath(new URL("../../go", import.meta.url));
