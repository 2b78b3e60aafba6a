import { readFile } from "node:fs/promises";
import { AppError, type Clock } from "@jibe/base";
import type { ClusterAccess } from "./cluster-access.ts";
import { tokenFileCredentials } from "./credentials.ts";
import type { Impersonation } from "./impersonation.ts";
import type { Env } from "./proxy.ts";

const mountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Whether the environment is that of a pod. */
export function isInCluster(env: Env): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"]);
}

export interface InClusterOptions {
  readonly env: Env;
  readonly clock: Clock;
  readonly impersonate?: Impersonation | undefined;
  /** Where the service account is mounted. */
  readonly folder?: string;
}

/** The cluster whose pod we are, with the service account mounted into it. Its token is replaced as time goes by. */
export async function inClusterAccess(options: InClusterOptions): Promise<ClusterAccess> {
  const { env, clock, impersonate, folder = mountFolder } = options;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new AppError(
      "InvalidArgument",
      "not inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
    );
  }
  const ca = await readFile(`${folder}/ca.crt`, "utf8").catch((cause: unknown) => {
    const hint = "is automountServiceAccountToken off for this pod?";
    throw new AppError("InvalidArgument", `no service account is mounted at ${folder}: ${hint}`, { cause });
  });
  const namespace = await readFile(`${folder}/namespace`, "utf8").catch(() => "default"); // some mounts leave it out
  return {
    server: new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    ca,
    skipTlsVerify: false,
    credentials: tokenFileCredentials({ path: `${folder}/token` }, clock),
    ...(impersonate ? { impersonate } : {}),
    namespace: namespace.trim() || "default",
    name: "in-cluster",
  };
}
