import { numberAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";
import type { Condition } from "./conditions.ts";

interface Counts {
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
}

/** Whether a Deployment is available and how its rollout stands. */
export function deploymentConditions(
  deployment: KubeObject,
  { replicas = 0, updatedReplicas = 0, availableReplicas = 0 }: Counts,
  newest: KubeObject | undefined,
): Condition[] {
  const wanted = numberAt(deployment, "spec.replicas");
  const isAvailable = availableReplicas >= wanted;
  const isComplete = updatedReplicas === wanted && replicas === wanted && isAvailable;
  const name = newest?.metadata.name ?? "";
  const available: Condition = isAvailable
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
  const progressing: Condition = isComplete
    ? {
        type: "Progressing",
        status: "True",
        reason: "NewReplicaSetAvailable",
        message: `ReplicaSet "${name}" has successfully progressed.`,
      }
    : {
        type: "Progressing",
        status: "True",
        reason: "ReplicaSetUpdated",
        message: `ReplicaSet "${name}" is progressing.`,
      };
  return newest ? [available, progressing] : [available];
}
