import { writeFile } from "node:fs/promises";

export interface ClusterAccess {
  readonly url: string;
  readonly token: string;
  readonly caCert: string;
}

/** Writes a kubeconfig file (as JSON, which is YAML) for one cluster and one user. */
export async function writeKubeconfig(file: string, { url, token, caCert }: ClusterAccess): Promise<void> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "peers",
    contexts: [{ name: "peers", context: { cluster: "peers", user: "admin" } }],
    clusters: [
      {
        name: "peers",
        cluster: { server: url, "certificate-authority-data": Buffer.from(caCert).toString("base64") },
      },
    ],
    users: [{ name: "admin", user: { token } }],
  };
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}
