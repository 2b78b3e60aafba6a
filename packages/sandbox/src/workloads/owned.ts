import { cloneJson, type LabelSelector, matchesLabels } from "@jibe/base";
import type { OwnerReference } from "../api/kube-object.ts";
import { objectAt } from "../printing/read.ts";
import type { ClusterPort, KubeObject, Resource } from "./cluster-port.ts";

export const namespaceOf = ({ metadata }: KubeObject) => metadata.namespace ?? "";
export const isGoing = ({ metadata }: KubeObject) => typeof metadata.deletionTimestamp === "string";
export const labelsOf = ({ metadata }: KubeObject) => metadata.labels ?? {};

/** A reference that makes an object the controller of another. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion = "", kind = "", metadata } = owner;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

export const controllerOf = ({ metadata }: KubeObject) =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** The objects that an owner controls. Those that nobody controls and its selector matches are adopted first. */
export function ownedBy(port: ClusterPort, owner: KubeObject, resource: Resource): KubeObject[] {
  const selector = objectAt(owner, "spec.selector") as LabelSelector;
  const hasSelector = Object.keys(selector).length > 0;
  return port.list(resource, namespaceOf(owner)).flatMap((object) => {
    const controller = controllerOf(object);
    if (controller) return controller.uid === owner.metadata.uid ? [object] : [];
    const isWanted = hasSelector && !isGoing(object) && !isGoing(owner) && matchesLabels(selector, labelsOf(object));
    return isWanted ? [port.update(resource, adopted(object, owner))] : [];
  });
}

function adopted(object: KubeObject, owner: KubeObject): KubeObject {
  const copy = cloneJson(object);
  const ownerReferences = [...(copy.metadata.ownerReferences ?? []), controllerReference(owner)];
  return { ...copy, metadata: { ...copy.metadata, ownerReferences } };
}

/** A copy with another status. */
export const withStatus = (object: KubeObject, status: Readonly<Record<string, unknown>>): KubeObject => ({
  ...cloneJson(object),
  status,
});

export const withSpec = (object: KubeObject, spec: Readonly<Record<string, unknown>>): KubeObject => ({
  ...cloneJson(object),
  spec: { ...objectAt(object, "spec"), ...spec },
});
