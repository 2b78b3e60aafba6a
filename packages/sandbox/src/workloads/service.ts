import { matchesLabels } from "@jibe/base";
import { at, flagAt, listAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import type { JsonObject } from "../schema/json-object.ts";
import type { ClusterPort, KubeObject } from "./cluster-port.ts";
import type { Reconciler } from "./controller.ts";
import { nodeName } from "./node.ts";
import { controllerReference, isGoing, labelsOf, namespaceOf } from "./owned.ts";
import { isActive, isReady } from "./pod-state.ts";

const serviceLabel = "kubernetes.io/service-name";
const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const managedBy = "endpointslice-controller.k8s.io";

/** Lists the pods behind a Service in its Endpoints and its EndpointSlice. */
export const reconcileService: Reconciler = ({ port }, service) => {
  const selector = objectAt(service, "spec.selector") as Record<string, string>;
  if (isGoing(service) || Object.keys(selector).length === 0 || textAt(service, "spec.type") === "ExternalName") return;
  const pods = port
    .list("pods", namespaceOf(service))
    .filter(
      (pod) =>
        isActive(pod) && textAt(pod, "status.podIP") !== "" && matchesLabels({ matchLabels: selector }, labelsOf(pod)),
    )
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  writeEndpoints(port, service, pods);
  writeSlice(port, service, pods);
};

/** The Endpoints of a service that is gone go with it. */
export function serviceGone({ port }: { readonly port: ClusterPort }, namespace: string, name: string): void {
  if (port.get("endpoints", namespace, name)) port.delete("endpoints", { namespace, name });
}

const targetOf = (pod: KubeObject) => ({
  kind: "Pod",
  namespace: namespaceOf(pod),
  name: pod.metadata.name,
  uid: pod.metadata.uid ?? "",
});

/** A service's ports as numbers; a port by name is looked up in the first pod that has it. */
function portsOf(service: KubeObject, pods: readonly KubeObject[]): JsonObject[] {
  return listAt(service, "spec.ports").flatMap((port) => {
    const target = at(port, "targetPort") ?? numberAt(port, "port");
    const number = typeof target === "string" ? namedPort(pods, target) : Number(target);
    if (number === undefined) return [];
    const name = textAt(port, "name");
    const protocol = textAt(port, "protocol") || "TCP";
    return [{ ...(name === "" ? {} : { name }), port: number, protocol }];
  });
}

function namedPort(pods: readonly KubeObject[], name: string): number | undefined {
  const ports = pods
    .flatMap((pod) => listAt(pod, "spec.containers"))
    .flatMap((container) => listAt(container, "ports"));
  const found = ports.find((port) => textAt(port, "name") === name);
  return found && numberAt(found, "containerPort");
}

function writeEndpoints(port: ClusterPort, service: KubeObject, pods: readonly KubeObject[]): void {
  const entry = (pod: KubeObject) => ({ ip: textAt(pod, "status.podIP"), nodeName, targetRef: targetOf(pod) });
  const publishesAll = flagAt(service, "spec.publishNotReadyAddresses");
  const ready = pods.filter((pod) => publishesAll || isReady(pod)).map(entry);
  const notReady = pods.filter((pod) => !publishesAll && !isReady(pod)).map(entry);
  const ports = portsOf(service, pods);
  const subset = {
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: service.metadata.name, namespace: namespaceOf(service), labels: labelsOf(service) },
    ...(pods.length > 0 ? { subsets: [subset] } : {}),
  };
  const existing = port.get("endpoints", namespaceOf(service), service.metadata.name);
  put(port, "endpoints", { object, existing });
}

function writeSlice(port: ClusterPort, service: KubeObject, pods: readonly KubeObject[]): void {
  const namespace = namespaceOf(service);
  const labels = { ...labelsOf(service), [serviceLabel]: service.metadata.name, [managedByLabel]: managedBy };
  const existing = port
    .list("endpointslices.discovery.k8s.io", namespace)
    .find(
      (slice) =>
        labelsOf(slice)[serviceLabel] === service.metadata.name && labelsOf(slice)[managedByLabel] === managedBy,
    );
  const object: KubeObject = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...(existing ? { name: existing.metadata.name } : { name: "", generateName: `${service.metadata.name}-` }),
      namespace,
      labels,
      ownerReferences: [controllerReference(service)],
    },
    addressType: "IPv4",
    endpoints: pods.map((pod) => {
      const ready = isReady(pod);
      return {
        addresses: [textAt(pod, "status.podIP")],
        conditions: { ready, serving: ready, terminating: false },
        nodeName,
        targetRef: targetOf(pod),
      };
    }),
    ports: portsOf(service, pods).map((entry) => ({ name: "", ...entry })),
  };
  put(port, "endpointslices.discovery.k8s.io", { object, existing });
}

function put(
  port: ClusterPort,
  resource: "endpoints" | "endpointslices.discovery.k8s.io",
  { object, existing }: { readonly object: KubeObject; readonly existing: KubeObject | undefined },
): void {
  if (!existing) port.create(resource, object);
  else port.update(resource, { ...object, metadata: { ...existing.metadata, labels: object.metadata.labels ?? {} } });
}
