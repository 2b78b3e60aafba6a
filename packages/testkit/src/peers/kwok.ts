import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Scope, systemClock } from "@jibe/base";
import { assetsFile, peerProgram } from "./build-peers.ts";
import { freePort } from "./free-port.ts";
import type { Kubernetes } from "./kubernetes.ts";
import { type PeerProcess, startPeerProcess, untilReady } from "./peer-process.ts";

// Any command in any container of any pod is run on this machine, by whoever runs the test.
const execOnThisMachine = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterExec
metadata:
  name: on-this-machine
spec:
  execs:
  - local: {}
`;

/** Starts kwok as node `node-1` and its kubelet; returns when the node is ready. */
export async function startKwok(
  {
    dir,
    kubeconfig,
    certFile,
    keyFile,
    apply,
    kubectl,
  }: Pick<Kubernetes, "dir" | "kubeconfig" | "apply" | "kubectl"> & { certFile: string; keyFile: string },
  scope: Scope,
): Promise<PeerProcess> {
  const program = await peerProgram("kwok", scope);
  const port = await freePort();
  const config = join(dir, "kwok.yaml");
  await writeFile(config, [await readFile(assetsFile(program), "utf8"), execOnThisMachine].join("\n---\n"));
  await apply([{ apiVersion: "v1", kind: "Node", metadata: { name: "node-1", labels: nodeLabels } }]);
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--config=${config}`,
    "--manage-all-nodes",
    "--node-ip=127.0.0.1",
    `--node-port=${port}`,
    `--server-address=127.0.0.1:${port}`,
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    "--node-lease-duration-seconds=600",
  ];
  const peer = await startPeerProcess({ program, args, dir });
  const condition = '-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}';
  await untilReady(
    peer,
    async (inner) => {
      if ((await kubectl(["get", "node", "node-1", condition])).stdout === "True") return true;
      await systemClock.sleep(250, inner);
      return false;
    },
    scope,
  );
  return peer;
}

const nodeLabels = {
  "kubernetes.io/hostname": "node-1",
  "kubernetes.io/os": "linux",
  "topology.kubernetes.io/zone": "zone-1",
};
