import { isIP } from "node:net";
import { jsonEquals } from "@jibe/base";
import type { ApiContext } from "../api/context.ts";
import { isTree, type KubeObject, listAt, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { labelProblems, labelsProblems } from "../api/validate-metadata.ts";
import { type FieldError, invalid, notSupported, required } from "../schema/field-error.ts";
import { fill } from "./pod-spec.ts";
import { isPort, portText, protocols } from "./pod-validation.ts";
import { takeAddress, takePorts } from "./service-allocation.ts";
import type { Strategy } from "./strategy.ts";

/** Services: their addresses and ports are handed out by the server and kept. */
export const serviceStrategy: Strategy = {
  validateName: labelProblems,
  createsOnUpdate: true,
  returnsDeleted: true,
  setDefaults,
  prepareForCreate: (object) => {
    object["status"] = { loadBalancer: {} };
    const spec = treeAt(object, "spec") ?? {};
    fillFamilies(spec);
    fillAddresses(spec);
  },
  prepareForUpdate: (object, old) => {
    const [spec, before] = [treeAt(object, "spec") ?? {}, treeAt(old, "spec") ?? {}];
    if (
      textAt(spec, "clusterIP") !== textAt(before, "clusterIP") &&
      jsonEquals(spec["clusterIPs"], before["clusterIPs"])
    ) {
      delete spec["clusterIPs"];
    }
    fillAddresses(spec);
    keepHandedOut(spec, before);
    dropUnused(spec, before);
    fillFamilies(spec);
  },
  validate: problems,
  allocate: (object, old, context: ApiContext) => [...takeAddress(object, old, context), ...takePorts(object, context)],
  fieldNames: ["spec.clusterIP", "spec.type"],
  fields: (object) => ({
    "spec.clusterIP": textAt(object, "spec", "clusterIP"),
    "spec.type": textAt(object, "spec", "type"),
  }),
};

function setDefaults(object: KubeObject): void {
  const spec = treeAt(object, "spec") ?? {};
  fill(spec, { sessionAffinity: "None", type: "ClusterIP" });
  if (spec["sessionAffinity"] === "ClientIP") {
    spec["sessionAffinityConfig"] = {
      clientIP: { timeoutSeconds: 10800, ...treeAt(spec, "sessionAffinityConfig", "clientIP") },
    };
  }
  const type = textAt(spec, "type");
  for (const port of listAt(spec, "ports").filter(isTree)) {
    fill(port, { protocol: "TCP" });
    if (port["targetPort"] === undefined || port["targetPort"] === 0 || port["targetPort"] === "")
      port["targetPort"] = port["port"];
  }
  if (type === "NodePort" || type === "LoadBalancer") fill(spec, { externalTrafficPolicy: "Cluster" });
  if (type !== "ExternalName") fill(spec, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") fill(spec, { allocateLoadBalancerNodePorts: true });
}

/** The single address and the list of addresses say the same. */
function fillAddresses(spec: Tree): void {
  if (textAt(spec, "clusterIP") !== "" && listAt(spec, "clusterIPs").length === 0)
    spec["clusterIPs"] = [spec["clusterIP"]];
}

function fillFamilies(spec: Tree): void {
  if (textAt(spec, "type") === "ExternalName") return;
  fill(spec, { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
}

/** A client that leaves out what was handed out does not mean to give it back. */
function keepHandedOut(spec: Tree, before: Tree): void {
  if (textAt(spec, "type") === "ExternalName") {
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"])
      delete spec[field];
    return;
  }
  if (textAt(before, "type") === "ExternalName") return;
  if (textAt(spec, "clusterIP") === "")
    fill(spec, { clusterIP: before["clusterIP"], clusterIPs: before["clusterIPs"] });
  fill(spec, { ipFamilies: before["ipFamilies"], ipFamilyPolicy: before["ipFamilyPolicy"] });
  if (!usesNodePorts(spec)) return;
  const taken = new Map(
    listAt(before, "ports")
      .filter(isTree)
      .map((port) => [portKey(port), port["nodePort"]]),
  );
  for (const port of listAt(spec, "ports").filter(isTree)) {
    const kept = taken.get(portKey(port));
    if (kept !== undefined) fill(port, { nodePort: kept });
  }
}

/** What only services with node ports have goes with them, unless the client sets it anew. */
function dropUnused(spec: Tree, before: Tree): void {
  if (usesNodePorts(spec) || !usesNodePorts(before)) return;
  for (const field of ["externalTrafficPolicy", "healthCheckNodePort", "allocateLoadBalancerNodePorts"]) {
    if (jsonEquals(spec[field], before[field])) delete spec[field];
  }
}

export const usesNodePorts = (spec: Tree) => ["NodePort", "LoadBalancer"].includes(textAt(spec, "type"));
const portKey = (port: Tree) => `${String(port["protocol"])}/${String(port["port"])}`;

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function problems(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  const found: FieldError[] = [];
  const type = textAt(spec, "type");
  const ports = listAt(spec, "ports").filter(isTree);
  found.push(...labelsProblems(spec["selector"] as Record<string, string> | undefined, "spec.selector"));
  if (ports.length === 0 && type !== "ExternalName" && textAt(spec, "clusterIP") !== "None")
    found.push(required("spec.ports"));
  if (!types.includes(type)) found.push(notSupported("spec.type", type, types));
  found.push(...ports.flatMap((port, index) => portProblems(port, `spec.ports[${index}]`, ports.length > 1)));
  found.push(...duplicatePorts(ports));
  if (type === "ExternalName" && textAt(spec, "externalName") === "") {
    found.push(required("spec.externalName"));
  }
  for (const [index, address] of listAt(spec, "clusterIPs").entries()) {
    if (address !== "None" && isIP(String(address)) === 0) {
      const text = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
      found.push(invalid(`spec.clusterIPs[${index}]`, address, text));
    }
  }
  const before = treeAt(old, "spec");
  if (before && textAt(before, "type") !== "ExternalName" && type !== "ExternalName") {
    if (!jsonEquals(spec["clusterIPs"], before["clusterIPs"])) {
      found.push(invalid("spec.clusterIPs[0]", listAt(spec, "clusterIPs"), "may not change once set"));
    }
  }
  return found;
}

function portProblems(port: Tree, path: string, needsName: boolean): FieldError[] {
  const found: FieldError[] = [];
  const name = textAt(port, "name");
  if (needsName && name === "") found.push(required(`${path}.name`));
  if (!isPort(port["port"])) found.push(invalid(`${path}.port`, port["port"] ?? 0, portText));
  const protocol = textAt(port, "protocol");
  if (!protocols.includes(protocol)) found.push(notSupported(`${path}.protocol`, protocol, protocols));
  if (typeof port["targetPort"] === "number" && !isPort(port["targetPort"]))
    found.push(invalid(`${path}.targetPort`, port["targetPort"], portText));
  return found;
}

function duplicatePorts(ports: readonly Tree[]): FieldError[] {
  const seen = new Set<string>();
  const found: FieldError[] = [];
  for (const [index, port] of ports.entries()) {
    const key = portKey(port);
    if (seen.has(key)) {
      found.push({
        type: "FieldValueDuplicate",
        field: `spec.ports[${index}]`,
        message: `Duplicate value: ${JSON.stringify({ protocol: port["protocol"], port: port["port"], targetPort: 0 })}`,
      });
    }
    seen.add(key);
  }
  return found;
}
