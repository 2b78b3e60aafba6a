import { dump } from "js-yaml";

/** A kubeconfig with one context, for a server and its administrator's token. */
export function kubeconfigText({
  url,
  token,
  caCert,
}: {
  readonly url: string;
  readonly token: string;
  readonly caCert: string;
}): string {
  const name = "sandbox";
  return dump({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [
      { name, cluster: { server: url, "certificate-authority-data": Buffer.from(caCert).toString("base64") } },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
