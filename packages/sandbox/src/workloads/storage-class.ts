import type { ClusterPort, KubeObject } from "./cluster-port.ts";

export const provisioner = "sandbox.local/directory";
export const standardClass = "standard";

const defaultNote = "storageclass.kubernetes.io/is-default-class";

/** The class of claims that name none. */
export const defaultClass = (port: ClusterPort): KubeObject | undefined =>
  port.list("storageclasses.storage.k8s.io").find(({ metadata }) => metadata.annotations?.[defaultNote] === "true");

/** Creates the default class, unless someone already made one of that name. */
export function ensureStorageClass(port: ClusterPort): void {
  if (port.get("storageclasses.storage.k8s.io", "", standardClass)) return;
  port.create("storageclasses.storage.k8s.io", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: {
      name: standardClass,
      annotations: { [defaultNote]: "true" },
    },
    provisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  });
}
