/** The part of an object's metadata that backup and restore look at. Other keys are kept as they are. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: Record<string, unknown>[];
  [key: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any Kubernetes object. What is specific to its kind is `unknown` until someone looks. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [key: string]: unknown;
}

/** Names one object. `groupResource` is the plural name with its group: `pods`, `deployments.apps`. */
export interface ResourceIdentifier {
  readonly groupResource: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Which items an action wants to see. An empty selector matches everything; excludes win over includes. */
export interface ResourceSelector {
  readonly includedNamespaces?: readonly string[];
  readonly excludedNamespaces?: readonly string[];
  /** Plural, short or singular names, with or without group. */
  readonly includedResources?: readonly string[];
  readonly excludedResources?: readonly string[];
  /** Text form, such as `app=shop,tier in (web)`. */
  readonly labelSelector?: string;
}
