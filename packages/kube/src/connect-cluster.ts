import { type Scope, systemClock } from "@jibe/base";
import { resolveAccess } from "./auth/cluster-access.ts";
import { KubeClient } from "./client.ts";
import type { ConnectOptions } from "./client-options.ts";
import { Transport } from "./http/transport.ts";

const defaults = { userAgent: "jibe-kube/0.1", maxConcurrent: 64, requestTimeoutMs: 60_000, attempts: 10 };

/**
 * Opens a cluster's API: reads the configuration and checks that it is usable, but sends nothing yet. Dispose the client
 * to close its connections.
 */
export async function connectCluster(options: ConnectOptions, scope: Scope): Promise<KubeClient> {
  const access = await resolveAccess(options, scope);
  const transport = new Transport(access, {
    clock: options.clock ?? systemClock,
    userAgent: options.userAgent ?? defaults.userAgent,
    maxConcurrent: options.maxConcurrent ?? defaults.maxConcurrent,
    attempts: options.attempts ?? defaults.attempts,
    requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
  });
  return new KubeClient(transport);
}
