export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The metadata every object has. Keys not named here are kept as they are. */
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

/** Any Kubernetes object. What is specific to its kind is `unknown` until someone looks. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [key: string]: unknown;
}

/**
 * An object as it is handed to the server: parsed, or as JSON bytes that are sent untouched. The name may be missing
 * where the server gives one (`generateName`, reviews).
 */
export type ObjectInput = Uint8Array | NewObject | (NewObject & Readonly<Record<string, unknown>>);

interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Partial<ObjectMeta>;
}

/**
 * Names an endpoint of the API: one resource in one version. `T` is what its objects look like to the caller; it is not
 * checked against what the server sends.
 */
export interface ResourceRef<T extends object = KubeObject> {
  readonly group: string;
  readonly version: string;
  /** The plural name in lower case, as it stands in the path. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set; carries `T`. */
  readonly shape?: T;
}

/** `v1`, `apps/v1`: as it stands in an object's `apiVersion`. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** `pods`, `deployments.apps`: how people name a resource. */
export function groupResourceOf({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** `shop/web`, or `web` for an object without namespace: names an object among those of its type. */
export function objectKey({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }) {
  return namespace ? `${namespace}/${name}` : name;
}
