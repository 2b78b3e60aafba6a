import type { ClusterPort, KubeObject } from "./cluster-port.ts";
import { timeText } from "./conditions.ts";

/** The one simulated machine. */
export const nodeName = "sandbox";
export const nodeAddress = "10.0.2.15";
export const hostnameLabel = "kubernetes.io/hostname";

/** Creates the node, or brings an older one up to date after a restart. */
export function ensureNode(port: ClusterPort, now: Date): void {
  const node = port.get("nodes", "", nodeName) ?? port.create("nodes", newNode());
  port.updateStatus("nodes", { ...node, status: nodeStatus(now) });
}

const newNode = (): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: nodeName,
    labels: { [hostnameLabel]: nodeName, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
  },
  spec: { podCIDR: "10.244.0.0/16", podCIDRs: ["10.244.0.0/16"] },
});

function nodeStatus(now: Date) {
  const resources = { cpu: "8", memory: "32Gi", pods: "65000", "ephemeral-storage": "100Gi" };
  const time = timeText(now);
  const condition = ([type, status, reason, message]: readonly [string, string, string, string]) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  return {
    capacity: resources,
    allocatable: resources,
    conditions: [
      condition(["MemoryPressure", "False", "KubeletHasSufficientMemory", "the simulated node has enough memory"]),
      condition(["DiskPressure", "False", "KubeletHasNoDiskPressure", "the simulated node has no disk pressure"]),
      condition(["PIDPressure", "False", "KubeletHasSufficientPID", "the simulated node has enough process ids"]),
      condition(["Ready", "True", "KubeletReady", "the simulated node is ready"]),
    ],
    addresses: [
      { type: "InternalIP", address: nodeAddress },
      { type: "Hostname", address: nodeName },
    ],
    nodeInfo: {
      architecture: "amd64",
      operatingSystem: "linux",
      kernelVersion: "simulated",
      osImage: "simulated",
      containerRuntimeVersion: "sandbox://1.0",
      kubeletVersion: "v1.36.3",
      kubeProxyVersion: "",
      machineID: "",
      systemUUID: "",
      bootID: "",
    },
  };
}
