import { silentLogger } from "@jibe/base";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";

const scope = { signal: new AbortController().signal, log: silentLogger };

/**
 * A real cluster whose controllers do what a sandbox without workloads does too: namespaces, garbage, service accounts,
 * the cluster's certificate. The others would change objects while a case looks at them.
 */
export const startRealKubernetes = (): Promise<Kubernetes> =>
  startKubernetes({ controllerManager: true, disabledControllers }, scope);

const disabledControllers = [
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-cleaner-controller",
  "certificatesigningrequest-signing-controller",
  "clusterrole-aggregation-controller",
  "cronjob-controller",
  "daemonset-controller",
  "deployment-controller",
  "device-taint-eviction-controller",
  "disruption-controller",
  "endpoints-controller",
  "endpointslice-controller",
  "endpointslice-mirroring-controller",
  "ephemeral-volume-controller",
  "horizontal-pod-autoscaler-controller",
  "job-controller",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller",
  "legacy-serviceaccount-token-cleaner-controller",
  "node-lifecycle-controller",
  "node-route-controller",
  "persistentvolume-attach-detach-controller",
  "persistentvolume-binder-controller",
  "persistentvolume-expander-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "pod-garbage-collector-controller",
  "podcertificaterequest-cleaner-controller",
  "podgroup-protection-controller",
  "replicaset-controller",
  "replicationcontroller-controller",
  "resourceclaim-controller",
  "resourcepoolstatusrequest-controller",
  "resourcequota-controller",
  "service-cidr-controller",
  "service-lb-controller",
  "serviceaccount-token-controller",
  "statefulset-controller",
  "storage-version-migrator-controller",
  "storageversion-garbage-collector-controller",
  "taint-eviction-controller",
  "ttl-after-finished-controller",
  "ttl-controller",
  "validatingadmissionpolicy-status-controller",
  "volumeattributesclass-protection-controller",
];
