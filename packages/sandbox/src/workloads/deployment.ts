import { cloneJson, jsonEquals } from "@jibe/base";
import { at, flagAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import type { JsonObject } from "../schema/json-object.ts";
import type { ClusterPort, KubeObject, ObjectMeta } from "./cluster-port.ts";
import { conditionsOf } from "./conditions.ts";
import type { Reconciler } from "./controller.ts";
import { deploymentConditions } from "./deployment-conditions.ts";
import { controllerReference, isGoing, namespaceOf, ownedBy, withSpec, withStatus } from "./owned.ts";
import { templateHash, templateOf } from "./pod-template.ts";
import { shareOf } from "./share.ts";

const hashLabel = "pod-template-hash";
const revisionNote = "deployment.kubernetes.io/revision";
const desiredNote = "deployment.kubernetes.io/desired-replicas";
const maxNote = "deployment.kubernetes.io/max-replicas";
// What says something of the Deployment alone.
const ownNotes = new Set([revisionNote, desiredNote, maxNote, "kubectl.kubernetes.io/last-applied-configuration"]);

/** Keeps one ReplicaSet for a Deployment's template and scales the older ones down once the new one is ready. */
export const reconcileDeployment: Reconciler = ({ port, clock }, deployment) => {
  if (isGoing(deployment)) return;
  const owned = ownedBy(port, deployment, "replicasets.apps");
  const wanted = templateOf(deployment);
  const current =
    owned.find((replicaSet) => jsonEquals(bareTemplate(replicaSet), wanted)) ??
    (flagAt(deployment, "spec.paused") ? undefined : createReplicaSet(port, deployment, owned));
  const others = owned.filter(({ metadata }) => metadata.uid !== current?.metadata.uid);
  const noted = current ? noteRevision(port, deployment, revisionOf(current, others)) : deployment;
  if (current) scaleAll(port, noted, { current, others });
  const sets = ownedBy(port, deployment, "replicasets.apps");
  const newest = sets.find(({ metadata }) => metadata.uid === current?.metadata.uid);
  dropHistory(port, deployment, { sets, newest });
  const status = statusOf(deployment, sets, newest);
  const conditions = conditionsOf(deployment, deploymentConditions(deployment, status, newest), clock.now());
  port.updateStatus("deployments.apps", withStatus(noted, { ...status, conditions }));
};

/** A ReplicaSet's template without the label that tells it from its siblings. */
function bareTemplate(replicaSet: KubeObject): JsonObject {
  const template = cloneJson(templateOf(replicaSet));
  const metadata = objectAt(template, "metadata") as Partial<ObjectMeta>;
  const { [hashLabel]: _, ...labels } = metadata.labels ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

const revisionNumber = ({ metadata }: KubeObject) => Number(metadata.annotations?.[revisionNote] ?? 0);

/** A set that is taken up again gets a new revision, as a new one does. */
function revisionOf(current: KubeObject, others: readonly KubeObject[]): number {
  const highest = Math.max(0, ...others.map(revisionNumber));
  return revisionNumber(current) > highest ? revisionNumber(current) : highest + 1;
}

function createReplicaSet(port: ClusterPort, deployment: KubeObject, owned: readonly KubeObject[]): KubeObject {
  const template = cloneJson(templateOf(deployment));
  const hash = freeHash(port, deployment, template);
  const metadata = objectAt(template, "metadata") as Partial<ObjectMeta>;
  const labels = { ...metadata.labels, [hashLabel]: hash };
  const selector = objectAt(deployment, "spec.selector");
  const replicas = numberAt(deployment, "spec.replicas");
  return port.create("replicasets.apps", {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: namespaceOf(deployment),
      labels,
      annotations: {
        ...sharedNotes(deployment),
        ...replicaNotes(deployment),
        [revisionNote]: String(Math.max(0, ...owned.map(revisionNumber)) + 1),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: textAt(deployment, "spec.strategy.type") === "Recreate" && owned.some(hasReplicas) ? 0 : replicas,
      selector: { ...selector, matchLabels: { ...objectAt(selector, "matchLabels"), [hashLabel]: hash } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  });
}

/** Two templates may share a hash; the later one takes another. */
function freeHash(port: ClusterPort, deployment: KubeObject, template: JsonObject): string {
  for (let collisions = 0; ; collisions++) {
    const hash = templateHash(collisions === 0 ? template : [template, collisions]);
    const name = `${deployment.metadata.name}-${hash}`;
    if (!port.get("replicasets.apps", namespaceOf(deployment), name)) return hash;
  }
}

/** The annotations that a ReplicaSet has from its Deployment, such as the cause of a change. */
const sharedNotes = ({ metadata }: KubeObject) =>
  Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownNotes.has(name)));

/** How many pods its Deployment wants, and how many there may be while one set takes over from another. */
function replicaNotes(deployment: KubeObject) {
  const replicas = numberAt(deployment, "spec.replicas");
  const surge = at(deployment, "spec.strategy.rollingUpdate.maxSurge") ?? 0;
  return { [desiredNote]: String(replicas), [maxNote]: String(replicas + shareOf(surge, replicas)) };
}

const hasReplicas = (set: KubeObject) => numberAt(set, "spec.replicas") > 0 || numberAt(set, "status.replicas") > 0;

function noteRevision(port: ClusterPort, deployment: KubeObject, revision: number): KubeObject {
  if (revisionNumber(deployment) === revision) return deployment;
  const copy = cloneJson(deployment);
  const annotations = { ...copy.metadata.annotations, [revisionNote]: String(revision) };
  return port.update("deployments.apps", { ...copy, metadata: { ...copy.metadata, annotations } });
}

interface Generations {
  readonly current: KubeObject;
  readonly others: readonly KubeObject[];
}

function scaleAll(port: ClusterPort, deployment: KubeObject, { current, others }: Generations): void {
  const wanted = numberAt(deployment, "spec.replicas");
  const counts = replicaNotes(deployment);
  const notes = { ...sharedNotes(deployment), ...counts, [revisionNote]: String(revisionOf(current, others)) };
  const isRecreate = textAt(deployment, "spec.strategy.type") === "Recreate";
  const mayGrow = !isRecreate || !others.some(hasReplicas);
  scale(port, current, { replicas: mayGrow ? wanted : numberAt(current, "spec.replicas"), notes });
  const isTakenOver = isRecreate || numberAt(current, "status.readyReplicas") >= wanted;
  if (isTakenOver) for (const other of others) scale(port, other, { replicas: 0, notes: counts });
}

function scale(
  port: ClusterPort,
  replicaSet: KubeObject,
  { replicas, notes }: { readonly replicas: number; readonly notes: Readonly<Record<string, string>> },
): void {
  const { annotations = {} } = replicaSet.metadata;
  const isNoted = Object.entries(notes).every(([name, value]) => annotations[name] === value);
  if (numberAt(replicaSet, "spec.replicas") === replicas && isNoted) return;
  const scaled = withSpec(replicaSet, { replicas });
  const metadata = { ...scaled.metadata, annotations: { ...annotations, ...notes } };
  port.update("replicasets.apps", { ...scaled, metadata });
}

/** Old sets that run nothing are kept for going back, but only so many. */
function dropHistory(
  port: ClusterPort,
  deployment: KubeObject,
  { sets, newest }: { readonly sets: readonly KubeObject[]; readonly newest: KubeObject | undefined },
): void {
  const limit = objectAt(deployment, "spec")["revisionHistoryLimit"];
  if (typeof limit !== "number") return;
  const idle = sets.filter((set) => set.metadata.uid !== newest?.metadata.uid && !hasReplicas(set) && !isGoing(set));
  const surplus = idle
    .toSorted((a, b) => revisionNumber(a) - revisionNumber(b))
    .slice(0, Math.max(0, idle.length - limit));
  for (const { metadata } of surplus) port.delete("replicasets.apps", metadata);
}

function statusOf(deployment: KubeObject, sets: readonly KubeObject[], newest: KubeObject | undefined) {
  const sum = (path: string) => sets.reduce((total, set) => total + numberAt(set, path), 0);
  const [replicas, ready] = [sum("status.replicas"), sum("status.readyReplicas")];
  const updated = newest ? numberAt(newest, "status.replicas") : 0;
  const unavailable = Math.max(0, numberAt(deployment, "spec.replicas") - ready);
  return {
    observedGeneration: deployment.metadata.generation ?? 1,
    ...(replicas > 0 ? { replicas } : {}),
    ...(updated > 0 ? { updatedReplicas: updated } : {}),
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    ...(unavailable > 0 ? { unavailableReplicas: unavailable } : {}),
  };
}
