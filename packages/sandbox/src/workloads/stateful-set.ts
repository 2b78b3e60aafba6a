import { cloneJson } from "@jibe/base";
import { listAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import type { ClusterPort, KubeObject, ObjectMeta } from "./cluster-port.ts";
import type { Reconciler } from "./controller.ts";
import { ensureRevision, type Revision, revisionLabel } from "./controller-revision.ts";
import { isGoing, labelsOf, namespaceOf, ownedBy, withStatus } from "./owned.ts";
import { isFinished, isReady } from "./pod-state.ts";
import { podFrom } from "./pod-template.ts";

const podNameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";

/** Keeps a StatefulSet's pods: fixed names, one after the other, each with its own claims. */
export const reconcileStatefulSet: Reconciler = ({ port }, set) => {
  if (isGoing(set)) return;
  const revision = ensureRevision(port, set);
  const pods = ownedBy(port, set, "pods");
  step({ port, set, revision, pods });
  const after = ownedBy(port, set, "pods");
  port.updateStatus("statefulsets.apps", withStatus(set, statusOf(set, after, revision)));
};

interface Situation {
  readonly port: ClusterPort;
  readonly set: KubeObject;
  readonly revision: Revision;
  readonly pods: readonly KubeObject[];
}

const ordinalOf = ({ metadata }: KubeObject) => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

/** Does what may be done now; the pods' next change brings the next step. */
function step({ port, set, revision, pods }: Situation): void {
  const isParallel = textAt(set, "spec.podManagementPolicy") === "Parallel";
  const first = numberAt(set, "spec.ordinals.start");
  const end = first + numberAt(set, "spec.replicas");
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = pods.find((candidate) => ordinalOf(candidate) === ordinal);
    ensureClaims(port, set, ordinal);
    if (!pod) port.create("pods", podOf(set, ordinal, revision));
    else if (isFinished(pod) && !isGoing(pod)) port.delete("pods", pod.metadata);
    if (!isParallel && !(pod && isReady(pod) && !isGoing(pod))) return;
  }
  const surplus = pods.filter((pod) => ordinalOf(pod) < first || ordinalOf(pod) >= end).toSorted(byOrdinalDown);
  if (surplus.length > 0) {
    endPods(port, isParallel ? surplus : surplus.slice(0, 1));
    return;
  }
  if (textAt(set, "spec.updateStrategy.type") === "OnDelete") return;
  const partition = numberAt(set, "spec.updateStrategy.rollingUpdate.partition");
  const outdated = pods.filter((pod) => ordinalOf(pod) >= partition && labelsOf(pod)[revisionLabel] !== revision.name);
  endPods(port, outdated.toSorted(byOrdinalDown).slice(0, 1));
}

const byOrdinalDown = (a: KubeObject, b: KubeObject) => ordinalOf(b) - ordinalOf(a);

function endPods(port: ClusterPort, pods: readonly KubeObject[]): void {
  for (const pod of pods) if (!isGoing(pod)) port.delete("pods", pod.metadata);
}

function podOf(set: KubeObject, ordinal: number, revision: Revision): KubeObject {
  const name = `${set.metadata.name}-${ordinal}`;
  const claims = listAt(set, "spec.volumeClaimTemplates").map((template) => textAt(template, "metadata.name"));
  const volumes = listAt(set, "spec.template.spec.volumes").filter(
    (volume) => !claims.includes(textAt(volume, "name")),
  );
  const mounted = claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } }));
  return podFrom(set, {
    name: { name },
    labels: { [podNameLabel]: name, [indexLabel]: String(ordinal), [revisionLabel]: revision.name },
    spec: {
      hostname: name,
      ...(textAt(set, "spec.serviceName") === "" ? {} : { subdomain: textAt(set, "spec.serviceName") }),
      ...(volumes.length + mounted.length > 0 ? { volumes: [...mounted, ...volumes] } : {}),
    },
  });
}

/** Claims outlive their pod, and by default the set too. */
function ensureClaims(port: ClusterPort, set: KubeObject, ordinal: number): void {
  const namespace = namespaceOf(set);
  const labels = objectAt(set, "spec.selector.matchLabels") as Record<string, string>;
  for (const template of listAt(set, "spec.volumeClaimTemplates")) {
    const metadata = objectAt(template, "metadata") as Partial<ObjectMeta>;
    const name = `${metadata.name}-${set.metadata.name}-${ordinal}`;
    if (port.get("persistentvolumeclaims", namespace, name)) continue;
    port.create("persistentvolumeclaims", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name,
        namespace,
        labels: { ...metadata.labels, ...labels },
        ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      },
      spec: cloneJson(objectAt(template, "spec")),
    });
  }
}

function statusOf(set: KubeObject, pods: readonly KubeObject[], revision: Revision) {
  const living = pods.filter((pod) => !isGoing(pod));
  const ready = living.filter(isReady).length;
  const updated = living.filter((pod) => labelsOf(pod)[revisionLabel] === revision.name).length;
  const isComplete = updated === living.length && living.length === numberAt(set, "spec.replicas") && ready === updated;
  const current = isComplete ? revision.name : textAt(set, "status.currentRevision") || revision.name;
  const currentReplicas = living.filter((pod) => labelsOf(pod)[revisionLabel] === current).length;
  return {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: living.length,
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    availableReplicas: ready,
    ...(currentReplicas > 0 ? { currentReplicas } : {}),
    ...(updated > 0 ? { updatedReplicas: updated } : {}),
    currentRevision: current,
    updateRevision: revision.name,
    collisionCount: 0,
  };
}
