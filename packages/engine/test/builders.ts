import type { Backup, BackupSpec, KubernetesObject, ObjectMeta } from "@jibe/plugin-sdk/contracts";

type Meta = Partial<ObjectMeta>;

/** An object of any kind: `object("v1", "ConfigMap", "shop/settings", { data: … })`; the place is `namespace/name` or `name`. */
export function object(
  apiVersion: string,
  kind: string,
  place: string,
  { metadata = {}, ...content }: { metadata?: Meta; [key: string]: unknown } = {},
): KubernetesObject {
  const [namespace, name] = place.includes("/") ? place.split("/") : [undefined, place];
  return {
    apiVersion,
    kind,
    metadata: {
      name: name ?? "",
      ...(namespace ? { namespace } : {}),
      uid: `uid-of-${kind}-${place}`.toLowerCase(),
      ...metadata,
    },
    ...content,
  };
}

export function namespace(name: string, metadata: Meta = {}): KubernetesObject {
  return object("v1", "Namespace", name, { metadata, status: { phase: "Active" } });
}

export function configMap(place: string, metadata: Meta = {}): KubernetesObject {
  return object("v1", "ConfigMap", place, { metadata, data: { key: "value" } });
}

/** A running pod with one container; `claims` become volumes mounted by it. */
export function pod(
  place: string,
  { claims = [], metadata = {}, ...more }: { claims?: string[]; metadata?: Meta; [key: string]: unknown } = {},
): KubernetesObject {
  return object("v1", "Pod", place, {
    metadata,
    spec: {
      containers: [
        { name: "main", image: "app", volumeMounts: claims.map((name) => ({ name, mountPath: `/${name}` })) },
      ],
      volumes: claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    },
    status: { phase: "Running" },
    ...more,
  });
}

export function claim(place: string, volumeName: string, metadata: Meta = {}): KubernetesObject {
  return object("v1", "PersistentVolumeClaim", place, {
    metadata,
    spec: { volumeName, storageClassName: "fast", accessModes: ["ReadWriteOnce"] },
    status: { phase: "Bound" },
  });
}

/** A volume bound to a claim (`namespace/name`); `source` is its volume source. */
export function volume(
  name: string,
  claimPlace: string,
  { source = { awsElasticBlockStore: { volumeID: name } }, metadata = {} }: { source?: object; metadata?: Meta } = {},
): KubernetesObject {
  const [claimNamespace, claimName] = claimPlace.split("/");
  return object("v1", "PersistentVolume", name, {
    metadata,
    spec: {
      ...source,
      capacity: { storage: "1Gi" },
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: "Delete",
      claimRef: { namespace: claimNamespace, name: claimName },
    },
    status: { phase: "Bound" },
  });
}

export function backup(name = "b1", spec: BackupSpec = {}, metadata: Meta = {}): Backup {
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace: "velero", uid: `uid-of-${name}`, ...metadata },
    spec,
    status: {},
  };
}
