/** A Kubernetes object that a test made. It may be changed freely: nothing is shared between two of them. */
export interface BuiltObject {
  apiVersion: string;
  kind: string;
  metadata: BuiltMeta;
  [key: string]: unknown;
}

export interface BuiltMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  [key: string]: unknown;
}

/** Metadata by name, everything else as in the object itself: `{ namespace: "shop", labels: {…}, spec: {…} }`. */
export interface Parts {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** Any other metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** Any object. What `parts` has replaces what the builder of a kind would have put there, key by key. */
export function object(apiVersion: string, kind: string, name: string, parts: Parts = {}): BuiltObject {
  const { namespace, labels, annotations, metadata, ...rest } = parts;
  const meta: BuiltMeta = { name };
  if (namespace !== undefined) meta.namespace = namespace;
  if (labels !== undefined) meta.labels = labels;
  if (annotations !== undefined) meta.annotations = annotations;
  return structuredClone({ apiVersion, kind, metadata: { ...meta, ...metadata }, ...rest });
}

const namespaced = (parts: Parts): Parts => ({ namespace: "default", ...parts });

/** Parts whose `spec` is the builder's with the test's keys over it. */
const withSpec = (parts: Parts, spec: Record<string, unknown>): Parts => ({
  ...parts,
  spec: { ...spec, ...(parts["spec"] as Record<string, unknown> | undefined) },
});

export const namespace = (name: string, parts: Parts = {}) => object("v1", "Namespace", name, parts);

export const configMap = (name: string, parts: Parts = {}) =>
  object("v1", "ConfigMap", name, namespaced({ data: { key: "value" }, ...parts }));

export const secret = (name: string, parts: Parts = {}) =>
  object("v1", "Secret", name, namespaced({ type: "Opaque", data: { password: "c2VjcmV0" }, ...parts }));

export const serviceAccount = (name: string, parts: Parts = {}) =>
  object("v1", "ServiceAccount", name, namespaced(parts));

const container = { name: "main", image: "registry.example.com/app:1" };

export const pod = (name: string, parts: Parts = {}) =>
  object("v1", "Pod", name, withSpec(namespaced(parts), { containers: [container] }));

/** A pod that mounts the claims. */
export const podWithClaims = (name: string, claims: readonly string[], parts: Parts = {}) =>
  pod(
    name,
    withSpec(parts, {
      containers: [{ ...container, volumeMounts: claims.map((claim) => ({ name: claim, mountPath: `/${claim}` })) }],
      volumes: claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } })),
    }),
  );

/** A pod template with labels for the owner's selector. */
const template = (app: string) => ({ metadata: { labels: { app } }, spec: { containers: [container] } });

const workload =
  (kind: string) =>
  (name: string, parts: Parts = {}) =>
    object("apps/v1", kind, name, withSpec(namespaced(parts), workloadSpec(kind, name)));

function workloadSpec(kind: string, name: string): Record<string, unknown> {
  const spec = { selector: { matchLabels: { app: name } }, template: template(name) };
  if (kind === "DaemonSet") return spec;
  return kind === "StatefulSet" ? { ...spec, replicas: 1, serviceName: name } : { ...spec, replicas: 1 };
}

export const deployment = workload("Deployment");
export const replicaSet = workload("ReplicaSet");
export const statefulSet = workload("StatefulSet");
export const daemonSet = workload("DaemonSet");

export const job = (name: string, parts: Parts = {}) =>
  object(
    "batch/v1",
    "Job",
    name,
    withSpec(namespaced(parts), { template: { spec: { restartPolicy: "Never", containers: [container] } } }),
  );

export const service = (name: string, parts: Parts = {}) =>
  object("v1", "Service", name, withSpec(namespaced(parts), { selector: { app: name }, ports: [{ port: 80 }] }));

const storage = { resources: { requests: { storage: "1Gi" } } };

export const pvc = (name: string, parts: Parts = {}) =>
  object(
    "v1",
    "PersistentVolumeClaim",
    name,
    withSpec(namespaced(parts), { accessModes: ["ReadWriteOnce"], ...storage }),
  );

export const pv = (name: string, parts: Parts = {}) =>
  object(
    "v1",
    "PersistentVolume",
    name,
    withSpec(parts, {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path: `/volumes/${name}` },
    }),
  );

/** A volume and a claim that are bound to each other. */
export function boundVolume(name: string, claim: { readonly namespace: string; readonly name: string }): BuiltObject[] {
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim };
  return [
    pv(name, { spec: { claimRef, storageClassName: "" } }),
    pvc(claim.name, { namespace: claim.namespace, spec: { volumeName: name, storageClassName: "" } }),
  ];
}

export interface CrdOptions {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope?: "Namespaced" | "Cluster";
  /** The first one is stored; by default `v1`. */
  readonly versions?: readonly string[];
  /** Other fields of every version, such as a schema; by default any content is kept. */
  readonly version?: Readonly<Record<string, unknown>>;
}

export function crd({
  group,
  kind,
  plural,
  scope = "Namespaced",
  versions = ["v1"],
  version,
}: CrdOptions): BuiltObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return object("apiextensions.k8s.io/v1", "CustomResourceDefinition", `${plural}.${group}`, {
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema, ...version })),
    },
  });
}

/** An object of a type that a CRD defines. */
export const customResource = (
  { group, kind, version = "v1" }: { readonly group: string; readonly kind: string; readonly version?: string },
  name: string,
  parts: Parts = {},
) => object(`${group}/${version}`, kind, name, parts);

export interface OwnerOptions {
  readonly controller?: boolean;
}

/** The owner reference to an object that has a uid. */
export function ownerReference(owner: BuiltObject, { controller = true }: OwnerOptions = {}): Record<string, unknown> {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid: uid ?? "", controller };
}
