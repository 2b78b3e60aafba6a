import type { ResourceType } from "../registry/resource-type.ts";
import { bindingStrategy, certificateRequestStrategy, roleStrategy, serviceAccountStrategy } from "./access.ts";
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from "./apps.ts";
import { cronJobStrategy, jobStrategy } from "./batch.ts";
import { configMapStrategy, secretStrategy } from "./config.ts";
import { crdStrategy } from "./crd.ts";
import { namespaceStrategy } from "./namespace.ts";
import {
  endpointSliceStrategy,
  endpointsStrategy,
  ingressClassStrategy,
  ingressStrategy,
  networkPolicyStrategy,
} from "./network.ts";
import { podStrategy } from "./pod.ts";
import { serviceStrategy } from "./service.ts";
import {
  autoscalerStrategy,
  disruptionBudgetStrategy,
  eventStrategy,
  leaseStrategy,
  limitRangeStrategy,
  nodeStrategy,
  priorityClassStrategy,
  resourceQuotaStrategy,
  webhooksStrategy,
} from "./simple-types.ts";
import { claimStrategy, csiDriverStrategy, storageClassStrategy, volumeStrategy } from "./storage.ts";
import { plainStrategy, type Strategy } from "./strategy.ts";

const rbac = "rbac.authorization.k8s.io";

const strategies: Readonly<Record<string, Strategy>> = {
  configmaps: configMapStrategy,
  endpoints: endpointsStrategy,
  events: eventStrategy,
  limitranges: limitRangeStrategy,
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  persistentvolumeclaims: claimStrategy,
  persistentvolumes: volumeStrategy,
  pods: podStrategy,
  replicationcontrollers: replicationControllerStrategy,
  resourcequotas: resourceQuotaStrategy,
  secrets: secretStrategy,
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,
  "customresourcedefinitions.apiextensions.k8s.io": crdStrategy,
  "daemonsets.apps": daemonSetStrategy,
  "deployments.apps": deploymentStrategy,
  "replicasets.apps": replicaSetStrategy,
  "statefulsets.apps": statefulSetStrategy,
  "cronjobs.batch": cronJobStrategy,
  "jobs.batch": jobStrategy,
  "csidrivers.storage.k8s.io": csiDriverStrategy,
  "storageclasses.storage.k8s.io": storageClassStrategy,
  "endpointslices.discovery.k8s.io": endpointSliceStrategy,
  "horizontalpodautoscalers.autoscaling": autoscalerStrategy,
  "ingressclasses.networking.k8s.io": ingressClassStrategy,
  "ingresses.networking.k8s.io": ingressStrategy,
  "certificatesigningrequests.certificates.k8s.io": certificateRequestStrategy,
  "leases.coordination.k8s.io": leaseStrategy,
  "networkpolicies.networking.k8s.io": networkPolicyStrategy,
  "poddisruptionbudgets.policy": disruptionBudgetStrategy,
  "priorityclasses.scheduling.k8s.io": priorityClassStrategy,
  [`clusterrolebindings.${rbac}`]: bindingStrategy,
  [`clusterroles.${rbac}`]: roleStrategy,
  [`rolebindings.${rbac}`]: bindingStrategy,
  [`roles.${rbac}`]: roleStrategy,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooksStrategy,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooksStrategy,
};

/** What is particular to a type; custom resources have nothing but their schema. */
export function strategyOf(type: ResourceType): Strategy {
  return type.custom ? plainStrategy : (strategies[type.bucket] ?? plainStrategy);
}
