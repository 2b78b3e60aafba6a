import type { Clock, Scope } from "@jibe/base";
import { matchesLabels } from "@jibe/base";
import { objectAt, textAt } from "../printing/read.ts";
import { claimReconciler } from "./claim.ts";
import type { Change, ClusterPort, KubeObject, Resource } from "./cluster-port.ts";
import { type Controller, ControllerRunner } from "./controller.ts";
import { reconcileDaemonSet } from "./daemon-set.ts";
import { reconcileDeployment } from "./deployment.ts";
import { reconcileDisruptionBudget } from "./disruption-budget.ts";
import { reconcileJob } from "./job.ts";
import { ensureNode } from "./node.ts";
import { controllerOf, labelsOf, namespaceOf } from "./owned.ts";
import { claimsOf, podReconciler } from "./pod.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { reconcileReplicaSet } from "./replica-set.ts";
import { reconcileService, serviceGone } from "./service.ts";
import { reconcileStatefulSet } from "./stateful-set.ts";
import { ensureStorageClass } from "./storage-class.ts";
import { volumeReconciler } from "./volume.ts";
import type { VolumeDirectories } from "./volume-directories.ts";

export interface WorkloadOptions {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly directories: VolumeDirectories;
}

/** Simulates what controllers, scheduler and kubelet do, until disposed. */
export function startWorkloads(
  { port, clock, directories }: WorkloadOptions,
  scope: Pick<Scope, "log">,
): ControllerRunner {
  ensureNode(port, clock.now());
  ensureStorageClass(port);
  return new ControllerRunner({ port, clock }, controllersFor(port, directories), scope.log);
}

function controllersFor(port: ClusterPort, directories: VolumeDirectories): Controller[] {
  return [
    {
      resource: "deployments.apps",
      reconcile: reconcileDeployment,
      concerns: owners("Deployment", "deployments.apps", "replicasets.apps"),
    },
    {
      resource: "replicasets.apps",
      reconcile: reconcileReplicaSet,
      concerns: owners("ReplicaSet", "replicasets.apps", "pods"),
    },
    {
      resource: "statefulsets.apps",
      reconcile: reconcileStatefulSet,
      concerns: owners("StatefulSet", "statefulsets.apps", "pods"),
    },
    {
      resource: "daemonsets.apps",
      reconcile: reconcileDaemonSet,
      concerns: owners("DaemonSet", "daemonsets.apps", "pods"),
    },
    { resource: "jobs.batch", reconcile: reconcileJob, concerns: owners("Job", "jobs.batch", "pods") },
    { resource: "pods", reconcile: podReconciler(new PodAddresses(port)), concerns: podsOfClaim },
    { resource: "persistentvolumeclaims", reconcile: claimReconciler(directories), concerns: claimsConcerned },
    { resource: "persistentvolumes", reconcile: volumeReconciler(directories), concerns: volumesOfClaim },
    {
      resource: "poddisruptionbudgets.policy",
      reconcile: reconcileDisruptionBudget,
      concerns: budgetsOfPod,
    },
    { resource: "services", reconcile: reconcileService, gone: serviceGone, concerns: servicesOfPod },
  ];
}

type Concerns = NonNullable<Controller["concerns"]>;
const keyOf = (object: KubeObject) => ({ namespace: namespaceOf(object), name: object.metadata.name });

/** The controller of a changed object, or for an orphan those that may adopt it. */
const owners =
  (kind: string, resource: Resource, owned: Resource): Concerns =>
  (change, port) => {
    if (change.resource !== owned) return [];
    const { object } = change;
    const controller = controllerOf(object);
    if (controller) return controller.kind === kind ? [{ namespace: namespaceOf(object), name: controller.name }] : [];
    return port
      .list(resource, namespaceOf(object))
      .filter((owner) => selects(owner, object))
      .map(keyOf);
  };

function selects(owner: KubeObject, object: KubeObject): boolean {
  const selector = objectAt(owner, "spec.selector");
  return Object.keys(selector).length > 0 && matchesLabels(selector, labelsOf(object));
}

const budgetsOfPod: Concerns = ({ resource, object }, port) => {
  if (resource !== "pods") return [];
  const budgets = port.list("poddisruptionbudgets.policy", namespaceOf(object));
  return budgets.filter((budget) => selects(budget, object)).map(keyOf);
};

const podsOfClaim: Concerns = ({ resource, object }, port) => {
  if (resource !== "persistentvolumeclaims") return [];
  const pods = port.list("pods", namespaceOf(object)).filter((pod) => textAt(pod, "status.phase") === "Pending");
  return pods.filter((pod) => claimsOf(pod).includes(object.metadata.name)).map(keyOf);
};

/** A volume's claim; claims that wait for a volume or for a class; claims of a pod that has gone. */
const claimsConcerned: Concerns = ({ resource, object }, port) => {
  if (resource === "pods") return claimsOf(object).map((name) => ({ namespace: namespaceOf(object), name }));
  if (resource !== "persistentvolumes" && resource !== "storageclasses.storage.k8s.io") return [];
  return port
    .list("persistentvolumeclaims")
    .filter((claim) => textAt(claim, "status.phase") !== "Bound")
    .map(keyOf);
};

const volumesOfClaim: Concerns = ({ resource, object }, port) => {
  if (resource !== "persistentvolumeclaims") return [];
  const { name } = object.metadata;
  return port
    .list("persistentvolumes")
    .filter((volume) => textAt(volume, "spec.claimRef.name") === name)
    .map(keyOf);
};

const servicesOfPod: Concerns = ({ resource, object }: Change, port) => {
  if (resource !== "pods") return [];
  return port
    .list("services", namespaceOf(object))
    .filter((service) => {
      const matchLabels = objectAt(service, "spec.selector") as Record<string, string>;
      return Object.keys(matchLabels).length > 0 && matchesLabels({ matchLabels }, labelsOf(object));
    })
    .map(keyOf);
};
