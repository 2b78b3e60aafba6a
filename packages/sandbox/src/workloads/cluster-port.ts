import type { OwnerReference } from "../api/kube-object.ts";
import type { JsonObject } from "../schema/json-object.ts";

/** Metadata as the simulation reads and writes it. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Which object of a type; its metadata serves. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

export interface KubeObject extends JsonObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** The types that the simulation works on, by plural and group. */
export type Resource =
  | "pods"
  | "nodes"
  | "services"
  | "endpoints"
  | "persistentvolumes"
  | "persistentvolumeclaims"
  | "deployments.apps"
  | "replicasets.apps"
  | "statefulsets.apps"
  | "daemonsets.apps"
  | "controllerrevisions.apps"
  | "jobs.batch"
  | "poddisruptionbudgets.policy"
  | "storageclasses.storage.k8s.io"
  | "endpointslices.discovery.k8s.io";

export interface Change {
  readonly resource: string;
  /** The object as it is now, or for a removed one as it was. */
  readonly object: KubeObject;
}

/**
 * The cluster that workloads are simulated on. An implementer owes:
 * - calls are synchronous, and what one writes the next one reads;
 * - `create`, `update` and `updateStatus` do what a client's request would: defaults, validation, `uid`, `generation`,
 *   `generateName`; `update` ignores the status where the type has a status subresource, and `updateStatus` the rest;
 * - a write that changes nothing makes no change event, so that reconciling settles;
 * - objects given out are not changed later, and objects handed in are not kept;
 * - a refused write throws; nothing has been written then;
 * - deleting removes dependents in the background, by owner references.
 */
export interface ClusterPort {
  get(resource: Resource, namespace: string, name: string): KubeObject | undefined;
  /** All objects of a type, of one namespace or (empty) of all. */
  list(resource: Resource, namespace?: string): readonly KubeObject[];
  create(resource: Resource, object: KubeObject): KubeObject;
  update(resource: Resource, object: KubeObject): KubeObject;
  updateStatus(resource: Resource, object: KubeObject): KubeObject;
  /** Does nothing when there is no such object. `gracePeriodSeconds` 0 ends a pod at once. */
  delete(resource: Resource, key: ObjectKey, options?: { readonly gracePeriodSeconds?: number }): void;
  /** Assigns a pod to a node, as the scheduler does. */
  bindPod(namespace: string, name: string, node: string): void;
  /** Calls the listener after each change, in order, until disposed. */
  listen(listener: (change: Change) => void): Disposable;
}
