import type { JsonObject } from "../schema/json-object.ts";
import { age, labelsText, nameOf, selectorOrNone, withMore } from "./cells.ts";
import { columnsOf, type Printer } from "./printer.ts";
import { at, listAt, numberAt, objectAt, textAt, textsAt } from "./read.ts";

export const services: Printer = {
  columns: columnsOf("Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*"),
  cells: (object, now) => {
    const ports = listAt(object, "spec.ports").map((port) => {
      const nodePort = numberAt(port, "nodePort");
      const numbers = nodePort > 0 ? `${numberAt(port, "port")}:${nodePort}` : String(numberAt(port, "port"));
      return `${numbers}/${textAt(port, "protocol")}`;
    });
    return [
      nameOf(object),
      textAt(object, "spec.type"),
      textsAt(object, "spec.clusterIPs")[0] ?? "<none>",
      externalAddress(object),
      ports.length === 0 ? "<none>" : ports.join(","),
      age(object, now),
      labelsText(objectAt(object, "spec.selector")),
    ];
  },
};

function externalAddress(object: JsonObject): string {
  const external = textsAt(object, "spec.externalIPs");
  switch (textAt(object, "spec.type")) {
    case "ClusterIP":
    case "NodePort":
      return external.length > 0 ? external.join(",") : "<none>";
    case "LoadBalancer":
      return [...balancerAddresses(object), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textAt(object, "spec.externalName");
    default:
      return "<unknown>";
  }
}

const balancerAddresses = (object: JsonObject) =>
  [
    ...new Set(
      listAt(object, "status.loadBalancer.ingress").map((entry) => textAt(entry, "ip") || textAt(entry, "hostname")),
    ),
  ]
    .filter((address) => address !== "")
    .sort();

export const endpoints: Printer = {
  columns: columnsOf("Name", "Endpoints", "Age"),
  cells: (object, now) => {
    const addresses = listAt(object, "subsets").flatMap((subset) => {
      const ips = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
      const ports = listAt(subset, "ports");
      if (ports.length === 0) return ips;
      return ports.flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberAt(port, "port")}`));
    });
    const isEmpty = listAt(object, "subsets").length === 0;
    return [nameOf(object), isEmpty ? "<none>" : withMore(addresses, 3), age(object, now)];
  },
};

export const endpointSlices: Printer = {
  columns: columnsOf("Name", "AddressType", "Ports", "Endpoints", "Age"),
  cells: (object, now) => {
    const ports = listAt(object, "ports").map((port) => String(at(port, "port") ?? (textAt(port, "name") || "*")));
    const addresses = listAt(object, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses"));
    const orUnset = (items: readonly string[]) => (items.length === 0 ? "<unset>" : withMore(items, 3));
    return [nameOf(object), textAt(object, "addressType"), orUnset(ports), orUnset(addresses), age(object, now)];
  },
};

export const ingresses: Printer = {
  columns: columnsOf("Name", "Class", "Hosts", "Address", "Ports", "Age"),
  cells: (object, now) => [
    nameOf(object),
    textAt(object, "spec.ingressClassName") || "<none>",
    ingressHosts(object),
    balancerAddresses(object).join(","),
    listAt(object, "spec.tls").length > 0 ? "80, 443" : "80",
    age(object, now),
  ],
};

function ingressHosts(object: JsonObject): string {
  const hosts = listAt(object, "spec.rules").map((rule) => textAt(rule, "host"));
  const named = hosts.filter((host) => host !== "").slice(0, 3);
  if (named.length === 0) return "*";
  const seen = hosts.findIndex((_host, index) => hosts.slice(0, index).filter((host) => host !== "").length === 3);
  return seen < 0 ? named.join(",") : `${named.join(",")} + ${hosts.length - 3} more...`;
}

export const ingressClasses: Printer = {
  columns: columnsOf("Name", "Controller", "Parameters", "Age"),
  cells: (object, now) => {
    const isDefault =
      objectAt(object, "metadata.annotations")["ingressclass.kubernetes.io/is-default-class"] === "true";
    const parameters = objectAt(object, "spec.parameters");
    const group = textAt(parameters, "apiGroup");
    const kind = textAt(parameters, "kind") + (group === "" ? "" : `.${group}`);
    return [
      nameOf(object) + (isDefault ? " (default)" : ""),
      textAt(object, "spec.controller"),
      kind === "" ? "<none>" : `${kind}/${textAt(parameters, "name")}`,
      age(object, now),
    ];
  },
};

export const networkPolicies: Printer = {
  columns: columnsOf("Name", "Pod-Selector", "Age"),
  cells: (object, now) => [nameOf(object), selectorOrNone(at(object, "spec.podSelector")), age(object, now)],
};
