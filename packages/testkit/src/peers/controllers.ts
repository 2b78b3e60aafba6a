import { readFileSync } from "node:fs";
import type { Scope } from "@jibe/base";
import type { ClusterKeys } from "./api-server.ts";
import { peerProgram } from "./build-peers.ts";
import { freePort } from "./free-port.ts";
import { httpCall } from "./http-probe.ts";
import { type PeerProcess, startPeerProcess, untilReady } from "./peer-process.ts";

/** Starts one of the control plane's other programs; returns when it is healthy. */
export async function startController(
  name: "kube-controller-manager" | "kube-scheduler",
  {
    dir,
    kubeconfig,
    disabled,
    ...keys
  }: ClusterKeys & { dir: string; kubeconfig: string; disabled: readonly string[] },
  scope: Scope,
): Promise<PeerProcess> {
  const program = await peerProgram(name, scope);
  const port = await freePort();
  const own =
    name === "kube-controller-manager"
      ? [
          `--service-account-private-key-file=${keys.serviceAccountKeyFile}`,
          `--root-ca-file=${keys.certFile}`,
          `--controllers=*,${["nodeipam", "cloud-node-lifecycle", ...disabled].map((each) => `-${each}`).join(",")}`,
          "--node-monitor-grace-period=24h", // no node is lost because a busy machine was slow
        ]
      : [];
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${keys.certFile}`,
    `--tls-private-key-file=${keys.keyFile}`,
    "--leader-elect=false",
    ...own,
  ];
  const peer = await startPeerProcess({ program, args, dir });
  const caCert = readFileSync(keys.certFile, "utf8");
  const url = `https://127.0.0.1:${port}/healthz`;
  await untilReady(peer, async (inner) => (await httpCall({ url, caCert }, inner)).status === 200, scope);
  return peer;
}
